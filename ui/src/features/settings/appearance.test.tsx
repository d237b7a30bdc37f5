import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { accept, useSession } from "@/api/session";
import { useToasts } from "@/lib/toast";
import { usePreview } from "@/shell/appearance-preview";
import { useCompanyInfo } from "@/shell/company-info";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { AppearanceSection } from "./appearance-section";
import PreviewBar from "./preview-bar";

const server = standInServer();
const company = {
  id: "c1",
  version: 3,
  updated_at: "",
  slug: "n",
  name: "Northwind",
  color_scheme: "brand",
  layout: "modern",
  locale: "en",
};

beforeEach(() => {
  usePreview.setState({ me: {}, company: {}, shown: "me" });
  useToasts.setState({ toasts: [] });
  accept(signedIn());
  useSession.setState({ state: "signed-in", user: { ...mira, scheme: "teal", permissions: ["settings.company"] } });
  useCompanyInfo.setState({ company: { name: "Northwind", color_scheme: "brand", layout: "modern" } });
  server.on("GET /api/settings/company", () => ({ ...company, timezone: "UTC", region: mira.region, domains: [] }));
});

const open = (path = "/settings/appearance") =>
  renderApp(
    <>
      <AppearanceSection />
      <PreviewBar />
    </>,
    { path },
  );
const layouts = () => screen.getByRole("group", { name: "Layout" });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

it("lists the layouts in order after the company default, and checks the active choice", () => {
  open();
  const names = [...layouts().querySelectorAll("input")].map(({ id }) => id.replace("layout-", ""));
  expect(names.join(" ")).toBe("company classic classy compact dense futuristic thin centered enterprise material modern empty");
  expect(screen.getByRole("radio", { name: /Company default Modern/ })).toBeChecked();
  expect(screen.getByRole("radio", { name: "Teal" })).toBeChecked();
  expect(screen.getAllByRole("radio", { name: /./ }).filter(({ id }) => id.startsWith("scheme-"))).toHaveLength(22);
});

it("previews a choice at once, saves it on Keep for me, and restores the old one on undo", async () => {
  server.on("PATCH /api/common/user", ({ body }) => ({ ...useSession.getState().user, ...(body as object) }));
  const { router } = open("/settings/appearance?layout=thin");
  fireEvent.click(screen.getByRole("radio", { name: "Classy" }));
  fireEvent.click(screen.getByRole("radio", { name: /Company default Brand/ }));
  expect(usePreview.getState().me).toEqual({ layout: "classy", scheme: null });
  expect(router.state.location.search, "the address would override it").toBe("");
  expect(server.sent("PATCH /api/common/user")).toHaveLength(0);
  press("Keep for me");
  await waitFor(() => expect(usePreview.getState().me).toEqual({}));
  expect(server.sent("PATCH /api/common/user")[0]?.body).toEqual({ layout: "classy", scheme: null });
  useToasts.getState().toasts[0]?.action?.run();
  await waitFor(() => expect(server.sent("PATCH /api/common/user")[1]?.body).toEqual({ layout: null, scheme: "teal" }));
});

it("Discard ends a preview", () => {
  open();
  fireEvent.click(screen.getByRole("radio", { name: "Rose" }));
  expect(screen.getByRole("status")).toHaveTextContent("Trying out Rose");
  press("Discard");
  expect(screen.getByRole("radio", { name: "Teal" })).toBeChecked();
});

it("lets an administrator choose for the company, and says that their own choice stays", async () => {
  server.on("PATCH /api/settings/company", ({ body }) => ({ ...company, ...(body as object), domains: [] }));
  open();
  fireEvent.click(screen.getByRole("radio", { name: "For the company" }));
  fireEvent.click(await screen.findByRole("radio", { name: "Dense" }));
  expect(screen.queryByRole("radio", { name: /Company default/ })).toBeNull();
  expect(screen.getByText(/Your own choice stays as it is/)).toBeVisible();
  press("Keep for the company");
  await waitFor(() => expect(useCompanyInfo.getState().company.layout).toBe("dense"));
  expect(server.sent("PATCH /api/settings/company")[0]?.body).toEqual({ layout: "dense" });
});

it("hides the company's appearance from members without the permission", () => {
  useSession.setState({ state: "signed-in", user: { ...mira, permissions: [] } });
  open("/settings/appearance?for=company");
  expect(screen.queryByText("For the company")).toBeNull();
  expect(screen.getByRole("radio", { name: /Company default Modern/ })).toBeChecked();
});

it("warns about the layout without navigation", () => {
  open();
  fireEvent.click(screen.getByRole("radio", { name: "Empty" }));
  expect(screen.getByText(/To come back here, open \/settings\/appearance/)).toBeVisible();
});
