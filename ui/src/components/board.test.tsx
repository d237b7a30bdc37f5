import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Trophy } from "lucide-react";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { renderApp } from "@/test/render";
import { Board } from "./board";
import { BoardColumn } from "./board-column";

interface Card {
  id: string;
  column: string;
}
const columns = ["Left", "Middle", "Right"].map((title) => ({ id: title.toLowerCase(), title }));
const start: Card[] = [
  { id: "a", column: "left" },
  { id: "b", column: "left" },
  { id: "c", column: "right" },
];
const content = () => null;

function Sample({ mayMove, moved }: { mayMove: boolean; moved: (id: string, to: string) => void }) {
  const [cards, setCards] = useState(start);
  return (
    <Board label="Work" columns={columns} targets={[{ id: "done", title: "Done", icon: Trophy, tone: "ok" }]} mayMove={mayMove}>
      {columns.map(({ id, title }) => {
        const own = cards.filter((card) => card.column === id);
        return (
          <BoardColumn
            key={id}
            id={id}
            title={title}
            count={own.length}
            sums={[]}
            cards={own}
            onRetry={() => undefined}
            hasMore={false}
            isReading={false}
            onMore={() => undefined}
            titleOf={(card) => `Card ${card.id}`}
            to={(card) => `/cards/${card.id}`}
            placeOf={() => own.length}
            onMove={(card, to) => {
              moved(card, to);
              setCards((all) => all.map((one) => (one.id === card ? { ...one, column: to } : one)));
            }}
            content={content}
          />
        );
      })}
    </Board>
  );
}

function show(mayMove = true) {
  const moved = vi.fn();
  const { router } = renderApp(<Sample mayMove={mayMove} moved={moved} />);
  return { moved, router, user: userEvent.setup() };
}
afterEach(() => void vi.useRealTimers());

const card = (id: string) => screen.getByRole("link", { name: `Card ${id}` });
const said = () => screen.getByRole("status").textContent;

test("arrows move between cards and over empty columns; Tab stops once in each column", async () => {
  const { user } = show();
  card("a").focus();
  await user.keyboard("{ArrowDown}");
  expect(card("b")).toHaveFocus();
  await user.keyboard("{ArrowRight}");
  expect(card("c")).toHaveFocus();
  await user.keyboard("{ArrowLeft}{Home}{End}{ArrowUp}");
  expect(card("a")).toHaveFocus();
  await user.tab();
  expect(screen.getByRole("button", { name: "Move “Card a”" })).toHaveFocus();
  await user.tab();
  expect(card("c")).toHaveFocus();
});

test("Space lifts, arrows carry, Space drops: announced, and the focus follows the card", async () => {
  const { moved, user } = show();
  card("a").focus();
  await user.keyboard(" ");
  expect(said()).toMatch(/“Card a” is lifted from Left\./);
  await user.keyboard("{ArrowRight}");
  expect(said()).toBe("Middle, column 2 of 3");
  expect(moved).not.toHaveBeenCalled();
  await user.keyboard(" ");
  expect(moved).toHaveBeenCalledExactlyOnceWith("a", "middle");
  expect(said()).toBe("“Card a” moved to Middle.");
  expect(within(screen.getByRole("region", { name: /^Middle/ })).getByRole("link", { name: "Card a" })).toHaveFocus();
});

test("Escape returns the card; so does Tab", async () => {
  const { moved, user } = show();
  card("b").focus();
  await user.keyboard(" {ArrowRight}{Escape}");
  expect(said()).toBe("“Card b” stays in Left.");
  await user.keyboard(" {ArrowRight}");
  await user.tab();
  expect(said()).toBe("“Card b” stays in Left.");
  expect(moved).not.toHaveBeenCalled();
});

test("targets appear while a card is lifted; the down arrow leads to them", async () => {
  const { moved, user } = show();
  expect(screen.queryByText("Done")).toBeNull();
  card("c").focus();
  await user.keyboard(" {ArrowDown}");
  expect(said()).toBe("Done");
  await user.keyboard("{ArrowUp}");
  expect(said()).toBe("Right, column 3 of 3");
  await user.keyboard("{ArrowDown} ");
  expect(moved).toHaveBeenCalledExactlyOnceWith("c", "done");
  expect(document.querySelector("[data-place=done]")).toBeNull();
});

test("a menu moves a card, too, which gets the focus and is scrolled into view, also sideways", async () => {
  const scrolled: unknown[] = [];
  vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(function (this: Element, options) {
    scrolled.push((this as HTMLElement).dataset.card, options);
  });
  const { moved, user } = show();
  await user.click(screen.getByRole("button", { name: "Move “Card a”" }));
  const items = within(await screen.findByRole("menu", { name: "Move to" })).getAllByRole("menuitem");
  expect(items.map((item) => item.textContent)).toEqual(["Middle", "Right", "Done"]);
  await user.click(screen.getByRole("menuitem", { name: "Right" }));
  expect(moved).toHaveBeenCalledExactlyOnceWith("a", "right");
  await waitFor(() => expect(card("a")).toHaveFocus());
  expect(scrolled).toEqual(["a", { block: "nearest", inline: "nearest" }]);
});

test("the mouse drags a card to another column, and the click after it opens nothing", async () => {
  // On a busy machine the click may be late.
  vi.useFakeTimers({ toFake: ["performance"] });
  const { moved, router } = show();
  let over: Element | null = null;
  document.elementsFromPoint = () => (over ? [over] : []);
  const mouse = { pointerId: 1, pointerType: "mouse", isPrimary: true, button: 0 };
  fireEvent.pointerDown(card("a"), { ...mouse, clientX: 10, clientY: 10 });
  fireEvent.pointerMove(window, { ...mouse, clientX: 12, clientY: 10 });
  expect(screen.queryByText("Done")).toBeNull();
  over = screen.getByRole("region", { name: /^Right/ });
  fireEvent.pointerMove(window, { ...mouse, clientX: 300, clientY: 10 });
  expect(screen.getByText("Done")).toBeInTheDocument();
  fireEvent.pointerUp(window, { ...mouse, clientX: 300, clientY: 10 });
  expect(moved).toHaveBeenCalledExactlyOnceWith("a", "right");
  fireEvent.click(card("a"), { detail: 1 });
  expect(router.state.location.pathname).toBe("/");
});

test("a finger lifts a card by a long press; before that, it scrolls", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { moved } = show();
  const over = screen.getByRole("region", { name: /^Right/ });
  document.elementsFromPoint = () => [over];
  const finger = { pointerId: 2, pointerType: "touch", isPrimary: true, button: 0, clientX: 10, clientY: 10 };
  fireEvent.pointerDown(card("a"), finger);
  fireEvent.pointerMove(window, { ...finger, clientY: 40 });
  vi.advanceTimersByTime(300);
  expect(screen.queryByText("Done")).toBeNull();
  fireEvent.pointerUp(window, finger);
  vi.useRealTimers();
  fireEvent.pointerDown(card("a"), finger);
  expect(await screen.findByText("Done")).toBeInTheDocument();
  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(screen.queryByText("Done")).toBeNull();
  fireEvent.pointerUp(window, finger);
  expect(moved).not.toHaveBeenCalled();
});

test("a lifted card stays until the pointer has clearly moved: a target may appear below the finger", async () => {
  const { moved } = show();
  document.elementsFromPoint = () => [screen.queryByText("Done") ?? document.body];
  const finger = { pointerId: 3, pointerType: "touch", isPrimary: true, button: 0, clientX: 10, clientY: 600 };
  fireEvent.pointerDown(card("a"), finger);
  await screen.findByText("Done");
  fireEvent.pointerMove(window, { ...finger, clientX: 20, clientY: 610 });
  await new Promise((resolve) => requestAnimationFrame(resolve));
  fireEvent.pointerUp(window, { ...finger, clientX: 20, clientY: 610 });
  expect(said()).toBe("“Card a” stays in Left.");
  expect(moved).not.toHaveBeenCalled();
  fireEvent.pointerDown(card("a"), finger);
  await screen.findByText("Done");
  fireEvent.pointerUp(window, { ...finger, clientX: 40 });
  expect(moved).toHaveBeenCalledExactlyOnceWith("a", "done");
});

test("without the right to change cards, nothing moves", async () => {
  const { user } = show(false);
  expect(screen.queryByRole("button")).toBeNull();
  card("a").focus();
  await user.keyboard(" {ArrowDown}");
  expect(said()).toBe("");
  expect(card("b")).toHaveFocus();
});
