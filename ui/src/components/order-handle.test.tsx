import { fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { renderApp } from "@/test/render";
import { OrderHandle, OrderMenu, useOrder } from "./order-handle";

const onOrder = vi.fn();

function List() {
  const [ids, setIds] = useState(["a", "b", "c"]);
  const ordering = useOrder({
    ids,
    nameOf: (id) => id.toUpperCase(),
    onOrder: (next) => {
      onOrder(next.join(""));
      setIds(next);
    },
  });
  return (
    <>
      <ul>
        {ids.map((id) => (
          <li key={id} {...ordering.item(id)}>
            <OrderHandle ordering={ordering} id={id} />
          </li>
        ))}
        <li data-ordered="other" />
      </ul>
      <OrderMenu ordering={ordering} />
    </>
  );
}

const handle = (name: string) => screen.getByRole("button", { name: `Move ${name}` });
const shown = () =>
  [...document.querySelectorAll<HTMLElement>("[data-ordered]")]
    .filter(({ dataset }) => dataset.ordered !== "other")
    .sort((a, b) => Number(a.style.order) - Number(b.style.order))
    .map(({ dataset }) => dataset.ordered)
    .join("");
/** Makes an item the one below the pointer. */
const over = (id: string) => {
  document.elementsFromPoint = () => [...document.querySelectorAll(`[data-ordered="${id}"]`)];
};

beforeEach(() => {
  onOrder.mockClear();
  Element.prototype.setPointerCapture = () => undefined;
  renderApp(<List />);
});

test("an item is dragged by its handle, and is where it is dropped", () => {
  const a = handle("A");
  fireEvent.pointerDown(a, { button: 0, clientX: 10, clientY: 10 });
  over("b");
  // A press that hardly moves is none.
  fireEvent.pointerMove(a, { clientX: 10, clientY: 14 });
  expect(shown()).toBe("abc");
  fireEvent.pointerMove(a, { clientX: 10, clientY: 40 });
  expect(shown()).toBe("bac");
  over("other");
  fireEvent.pointerMove(a, { clientX: 10, clientY: 90 });
  expect(shown()).toBe("bac");
  over("c");
  fireEvent.pointerMove(a, { clientX: 10, clientY: 60 });
  expect(onOrder).not.toHaveBeenCalled();
  fireEvent.pointerUp(a);
  fireEvent.click(a);
  expect(onOrder.mock.calls).toEqual([["bca"]]);
  expect(screen.queryByRole("menu")).toBeNull();
});

test("Escape ends a drag, and nothing is moved", () => {
  const a = handle("A");
  fireEvent.pointerDown(a, { button: 0, clientX: 10, clientY: 10 });
  over("c");
  fireEvent.pointerMove(a, { clientX: 10, clientY: 60 });
  expect(shown()).toBe("bca");
  fireEvent.keyDown(a, { key: "Escape" });
  expect(shown()).toBe("abc");
  fireEvent.pointerUp(a);
  expect(onOrder).not.toHaveBeenCalled();
});

test("arrow keys and the menu move an item, and its place is said", async () => {
  handle("C").focus();
  await userEvent.keyboard("{ArrowUp}");
  expect(shown()).toBe("acb");
  expect(handle("C")).toHaveFocus();
  expect(screen.getByText("C: place 2 of 3")).toBeInTheDocument();
  await userEvent.keyboard("{Enter}");
  await userEvent.click(await screen.findByRole("menuitem", { name: "To the start" }));
  expect(shown()).toBe("cab");
  expect(onOrder.mock.calls).toEqual([["acb"], ["cab"]]);
});
