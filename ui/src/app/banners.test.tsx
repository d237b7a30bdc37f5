import { act, fireEvent, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { useLive } from "@/api/live";
import { accept } from "@/api/session";
import { loadCompanyInfo } from "@/features/company-info/data";
import { noteDamage, useDamage } from "@/lib/damage";
import { useCompanyInfo } from "@/shell/company-info";
import { signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { Banners } from "./banners";

const server = standInServer();
const version = (front_version: string) => ({
  company: { name: "Northwind", color_scheme: "brand", layout: "modern" },
  front_version,
  server_version: front_version,
  signup: "first",
  locales: ["en", "es"],
  writable: true,
});

beforeEach(() => {
  accept(signedIn(86_400));
  useCompanyInfo.setState({ front: "1.0.0", offered: "1.0.0", writable: true });
  useLive.setState({ reachable: true });
  vi.spyOn(console, "info").mockImplementation(() => undefined);
});

it("offers a reload once the server has a newer version, and runs the old one until then", async () => {
  server.on("GET /api/global/version", () => version("1.1.0"));
  renderApp(<Banners />);
  expect(screen.queryByRole("button", { name: "Reload" })).toBeNull();
  await act(loadCompanyInfo);
  expect(screen.getByText("Atrium 1.1.0 is ready.")).toBeVisible();
  expect(useCompanyInfo.getState().front).toBe("1.0.0");
  const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined);
  fireEvent.click(screen.getByRole("button", { name: "Reload" }));
  expect(reload).toHaveBeenCalled();
});

it("checks for new versions periodically, and after Later shows nothing until the next version", async () => {
  vi.useFakeTimers();
  try {
    let front = "1.1.0";
    server.on("GET /api/global/version", () => version(front));
    renderApp(<Banners />);
    await act(() => vi.advanceTimersByTimeAsync(15 * 60_000));
    fireEvent.click(screen.getByRole("button", { name: "Later" }));
    await act(() => vi.advanceTimersByTimeAsync(15 * 60_000));
    expect(screen.queryByText(/is ready/)).toBeNull();
    front = "1.2.0";
    await act(() => vi.advanceTimersByTimeAsync(15 * 60_000));
    expect(screen.getByText("Atrium 1.2.0 is ready.")).toBeVisible();
  } finally {
    vi.useRealTimers();
  }
});

it("says when the server is unreachable and when the device is offline", () => {
  renderApp(<Banners />);
  act(() => useLive.setState({ reachable: false }));
  expect(screen.getByText("Connection lost. Trying again…")).toBeVisible();
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  act(() => void dispatchEvent(new Event("offline")));
  expect(screen.getByText(/You’re offline/)).toBeVisible();
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(true);
  act(() => {
    dispatchEvent(new Event("online"));
    useLive.setState({ reachable: true });
  });
  expect(screen.queryByText(/offline|lost/)).toBeNull();
});

it("warns about records that cannot be shown until dismissed", () => {
  useDamage.setState({ lists: {}, seen: 0 });
  renderApp(<Banners />);
  act(() => noteDamage("/api/customers", { items: [], total: 3, damaged: 2 }));
  expect(screen.getByText(/2 records can’t be shown/)).toBeVisible();
  fireEvent.click(screen.getByRole("button", { name: "Got it" }));
  expect(screen.queryByText(/can’t be shown/)).toBeNull();
  act(() => noteDamage("/api/tasks", { items: [], total: 3, damaged: 1 }));
  expect(screen.getByText(/3 records can’t be shown/)).toBeVisible();
  act(() => noteDamage("/api/customers", { items: [], total: 3 }));
  expect(screen.queryByText(/can’t be shown/)).toBeNull();
});

it("warns that changes are not saved from the first failed save until the server is writable", async () => {
  vi.useFakeTimers();
  try {
    let writable = false;
    server.on("GET /api/global/version", () => ({ ...version("1.0.0"), writable }));
    server.on("POST /api/tasks", () => new Answer(503, { error: { code: "busy", message: "The disk is full." } }));
    renderApp(<Banners />);
    expect(screen.queryByText(/can’t save changes/)).toBeNull();
    await act(async () => {
      await expect(api.post("/api/tasks", { title: "Lost" })).rejects.toThrow("The disk is full.");
      await vi.advanceTimersByTimeAsync(0);
    });
    expect(screen.getByText(/can’t save changes/)).toBeVisible();
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    expect(screen.getByText(/can’t save changes/)).toBeVisible();
    writable = true;
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    expect(screen.queryByText(/can’t save changes/)).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

it("shows no warning when the server is only busy", async () => {
  server.on("GET /api/global/version", () => version("1.0.0"));
  server.on("POST /api/tasks", () => new Answer(503, { error: { code: "busy", message: "Busy." } }));
  renderApp(<Banners />);
  await act(async () => {
    await expect(api.post("/api/tasks", { title: "Later" })).rejects.toThrow("Busy.");
  });
  expect(screen.queryByText(/can’t save changes/)).toBeNull();
});
