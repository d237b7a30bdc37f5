import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, it } from "vitest";
import { useCompanyInfo } from "@/shell/company-info";
import { countInTitle, useTitle } from "@/shell/use-title";

function Screen({ title, children }: { title: string; children?: ReactNode }) {
  useTitle(title);
  return children;
}

it("shows the unread count, the screen and the company", () => {
  useCompanyInfo.setState(({ company }) => ({ company: { ...company, name: "Northwind" } }));
  const { rerender } = render(<Screen title="Tasks" />);
  expect(document.title).toBe("Tasks · Northwind");
  countInTitle(3);
  expect(document.title).toBe("(3) Tasks · Northwind");
  rerender(<Screen title="Events" />);
  expect(document.title).toBe("(3) Events · Northwind");
  countInTitle(120);
  expect(document.title).toBe("(99+) Events · Northwind");
  countInTitle(0);
  expect(document.title).toBe("Events · Northwind");
});

it("names the open panel, and the screen again once the panel is closed", () => {
  useCompanyInfo.setState(({ company }) => ({ company: { ...company, name: "Northwind" } }));
  const panel = (
    <Screen title="Tasks">
      <Screen title="Call Ana" />
    </Screen>
  );
  const { rerender } = render(panel);
  expect(document.title).toBe("Call Ana · Northwind");
  rerender(<Screen title="Tasks" />);
  expect(document.title).toBe("Tasks · Northwind");
});
