import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import i18n from "i18next";
import { expect, test, vi } from "vitest";
import { accept } from "@/api/session";
import { signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import es from "../../../i18n/es.json";
import { RecordSelect } from "./record-select";

const server = standInServer();
const customer = (id: string, name: string) => ({ id, name, details: {}, version: 1 });

test("Escape closes the list and restores the name, although the customer is not in the list", async () => {
  accept(signedIn());
  server.on("GET /api/customers/a", () => customer("a", "Acme"));
  server.on("GET /api/customers", () => ({ items: [customer("b", "Bakery")], total: 1 }));
  const onChange = vi.fn();
  renderApp(<RecordSelect kind="customer" label="Customer" value="a" onChange={onChange} />);
  const field = screen.getByRole("combobox", { name: "Customer" });
  await waitFor(() => expect(field).toHaveValue("Acme"));
  await userEvent.tab();
  await screen.findByRole("option", { name: "Bakery" });
  await userEvent.keyboard("bak{Escape}");
  await waitFor(() => expect(field).toHaveAttribute("aria-expanded", "false"));
  expect(field).toHaveValue("Acme");
  expect(onChange).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Clear customer" }));
  expect(onChange).toHaveBeenCalledWith(null);
  expect(field).toHaveFocus();
});

test("asks for the records to choose from only once it is opened", async () => {
  accept(signedIn());
  server.on("GET /api/customers/a", () => customer("a", "Acme"));
  server.on("GET /api/customers", () => ({ items: [customer("b", "Bakery")], total: 1 }));
  const onChange = vi.fn();
  renderApp(<RecordSelect kind="customer" label="Customer" value="a" onChange={onChange} />);
  await waitFor(() => expect(screen.getByRole("combobox", { name: "Customer" })).toHaveValue("Acme"));
  expect(server.sent("GET /api/customers")).toHaveLength(0);
  await userEvent.tab();
  await userEvent.click(await screen.findByRole("option", { name: "Bakery" }));
  expect(onChange).toHaveBeenCalledWith("b");
  expect(server.sent("GET /api/customers")).toHaveLength(1);
});

test("says that no record is chosen, in the gender of the kind or in the words of the field", async () => {
  accept(signedIn());
  i18n.addResourceBundle("es", "translation", es, true, true);
  await i18n.changeLanguage("es");
  const common = { value: null, onChange: () => undefined };
  renderApp(
    <>
      <RecordSelect kind="customer" label="Cliente" {...common} />
      <RecordSelect kind="organization" label="Organización" {...common} />
      <RecordSelect kind="deal" label="Oportunidad" {...common} />
      <RecordSelect kind="customer" label="Persona" placeholder={i18n.t("ui.deals.noPerson")} {...common} />
    </>,
  );
  const shown = (label: string) => screen.getByRole("combobox", { name: label }).getAttribute("placeholder");
  expect(["Cliente", "Organización", "Oportunidad", "Persona"].map(shown)).toEqual(["Ninguno", "Ninguna", "Ninguna", "Ninguna"]);
  await act(() => i18n.changeLanguage("en"));
});

test("ties an error to the field", () => {
  accept(signedIn());
  renderApp(<RecordSelect kind="customer" label="Customer" value={null} error="Choose a customer." onChange={() => undefined} />);
  const field = screen.getByRole("combobox", { name: "Customer" });
  expect(field).toBeInvalid();
  expect(field).toHaveAccessibleDescription("Choose a customer.");
});
