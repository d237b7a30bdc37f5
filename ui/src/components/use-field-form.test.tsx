// A form says that a field is empty or wrong when that helps: after leaving it with something typed, and on sending. A
// field that was only passed says nothing, and a press is not missed because an error moved what it aims at (F-M3).
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { useFieldForm } from "@/lib/use-field-form";
import { TextField } from "./text-field";

const sent = vi.fn();

function Sample({ name = "" }: { name?: string }) {
  const { register, handleSubmit, formState } = useFieldForm({ defaultValues: { name, email: "" } });
  const { errors } = formState;
  return (
    <form noValidate onSubmit={(event) => void handleSubmit(sent)(event)}>
      <TextField
        label="Name"
        required
        error={errors.name?.message}
        {...register("name", { validate: (text) => text.trim() !== "" || "Type a name." })}
      />
      <TextField
        label="Email"
        error={errors.email?.message}
        {...register("email", { validate: (text) => text === "" || text.includes("@") || "Type an address." })}
      />
      <button type="submit">{"Send"}</button>
      <button type="button">{"Other"}</button>
    </form>
  );
}
const field = (name: RegExp) => screen.getByRole("textbox", { name });

test("a field that was only passed says nothing until the form is sent, which then focuses it", async () => {
  render(<Sample />);
  await userEvent.click(field(/^Name/));
  await userEvent.click(screen.getByRole("button", { name: "Other" }));
  await userEvent.tab();
  expect(screen.queryByText("Type a name.")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Send" }));
  expect(await screen.findByText("Type a name.")).toBeVisible();
  expect(field(/^Name/)).toHaveFocus();
  expect(sent).not.toHaveBeenCalled();
  // From now on, the error follows what is typed.
  await userEvent.type(field(/^Name/), "A");
  await waitFor(() => expect(screen.queryByText("Type a name.")).toBeNull());
});

test("what is typed is checked when its field is left", async () => {
  render(<Sample />);
  await userEvent.type(field(/^Email/), "nora");
  expect(screen.queryByText("Type an address.")).toBeNull();
  await userEvent.tab();
  expect(await screen.findByText("Type an address.")).toBeVisible();
});

test("a value that was emptied is checked when its field is left", async () => {
  render(<Sample name="Nora" />);
  await userEvent.clear(field(/^Name/));
  await userEvent.tab();
  expect(await screen.findByText("Type a name.")).toBeVisible();
});

test("an error comes after the press that left its field", async () => {
  render(<Sample />);
  await userEvent.type(field(/^Email/), "nora");
  const other = screen.getByRole("button", { name: "Other" });
  fireEvent.pointerDown(other);
  fireEvent.blur(field(/^Email/));
  await waitFor(() => expect(field(/^Email/)).toBeInvalid());
  expect(screen.queryByText("Type an address.")).toBeNull();
  fireEvent.pointerUp(other);
  fireEvent.click(other);
  expect(await screen.findByText("Type an address.")).toBeVisible();
});

test("the line of the error of a required field is there before it", () => {
  render(<Sample />);
  const below = (name: RegExp) => field(name).closest("div")?.lastElementChild;
  expect(below(/^Name/)).toHaveClass("min-h-5");
  expect(below(/^Email/)).not.toHaveClass("min-h-5");
});
