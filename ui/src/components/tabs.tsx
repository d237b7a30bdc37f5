import type { ReactNode } from "react";
import { Tabs as Root, Tab, TabList, TabPanel } from "react-aria-components/Tabs";

export interface TabsProps {
  label: string;
  items: { id: string; label: string; content: ReactNode }[];
  selected?: string;
  onChange?: (id: string) => void;
}

/** Views that share one place; for tabs with addresses of their own use `TabNav`. */
export function Tabs({ label, items, selected, onChange }: TabsProps) {
  return (
    <Root
      {...(selected !== undefined && { selectedKey: selected })}
      {...(onChange && { onSelectionChange: (key) => onChange(String(key)) })}
    >
      <TabList aria-label={label} className="mb-6 flex gap-6 overflow-x-auto border-b border-line">
        {items.map((item) => (
          <Tab
            key={item.id}
            id={item.id}
            className="cursor-pointer border-b-2 border-transparent py-2.5 font-medium whitespace-nowrap text-muted outline-none hover:text-ink selected:border-primary selected:text-ink focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-primary"
          >
            {item.label}
          </Tab>
        ))}
      </TabList>
      {items.map((item) => (
        <TabPanel key={item.id} id={item.id} className="outline-none">
          {item.content}
        </TabPanel>
      ))}
    </Root>
  );
}
