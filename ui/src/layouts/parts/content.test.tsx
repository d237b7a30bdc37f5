import { act, screen as page } from "@testing-library/react";
import { useEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { useLocation } from "react-router";
import { expect, test } from "vitest";
import { renderApp } from "@/test/render";
import { Content } from "./content";

/** A screen that gives the focus to a field at one address. */
function Line() {
  const line = useRef<HTMLInputElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    if (pathname === "/tasks/new") line.current?.focus();
  }, [pathname]);
  return <input key={pathname} ref={line} aria-label="Line" />;
}

test("another screen gets the focus, unless one of its fields has it already", async () => {
  const screen = document.createElement("div");
  const { router } = renderApp(
    <>
      {createPortal(<Line />, screen)}
      <Content screen={screen} />
    </>,
    { path: "/customers" },
  );
  await act(() => router.navigate("/tasks/new"));
  expect(page.getByRole("textbox", { name: "Line" })).toHaveFocus();
  await act(() => router.navigate("/pages"));
  expect(page.getByRole("main")).toHaveFocus();
});
