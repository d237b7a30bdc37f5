import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { ApiError } from "@/api/errors";
import { renderApp } from "@/test/render";
import { ErrorState } from "./error-state";

const retry = () => screen.queryByRole("button", { name: "Try again" });

it.each([
  [404, "not_found", "We couldn’t find this. It may have been deleted or moved."],
  // The server's response to an address without an id.
  [400, "bad_request", "The request cannot be read."],
])("does not offer to try again when the record does not exist: %i %s", (status, code, message) => {
  renderApp(<ErrorState error={new ApiError(status, { code, message })} onRetry={() => undefined} />);
  expect(screen.getByRole("alert")).toHaveTextContent("This doesn’t exist, or you don’t have access to it.");
  expect(retry()).toBeNull();
});

it("shows the server's message when it is more specific", () => {
  renderApp(<ErrorState error={new ApiError(404, { code: "chat_not_found", message: "Could not found chat with id of 1!" })} />);
  expect(screen.getByRole("alert")).toHaveTextContent("Could not found chat with id of 1!");
});

it("offers to try again after a temporary error", () => {
  renderApp(<ErrorState error={new ApiError(503, { code: "busy", message: "Busy" })} onRetry={() => undefined} />);
  expect(retry()).toBeVisible();
});
