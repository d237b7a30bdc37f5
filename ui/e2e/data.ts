import { caller } from "./api";
import { people } from "./server";

const day = 24 * 60 * 60 * 1000;
/** Returns a day relative to today, `YYYY-MM-DD`. */
const dayAt = (offset: number) => new Date(Date.now() + offset * day).toISOString().slice(0, 10);
/** Returns a time on such a day. */
const timeAt = (offset: number, hour: number) => `${dayAt(offset)}T${String(hour).padStart(2, "0")}:00:00Z`;

/** Creates records in both companies; returns the paths of those that tests visit. */
export async function fill(base: string): Promise<Record<string, string>> {
  const ada = await caller(base, people.ada.email);
  const ben = await caller(base, people.ben.email);
  const gus = await caller(base, people.gus.email);

  // The operator who created these members notified the companies' owners.
  for (const owner of [ada, gus]) {
    for (const { id } of await owner.call<{ id: string }[]>("GET", "/api/common/notifications")) {
      await owner.call("DELETE", `/api/common/notifications?id=${id}`);
    }
  }

  const details = (email: string, phoneNumber: string, company: string, title: string) => ({
    emails: [{ email, label: "Work" }],
    phoneNumbers: [{ country: "es", phoneNumber, label: "Mobile" }],
    company,
    title,
  });
  const jose = await ada.call<{ id: string }>("POST", "/api/customers", {
    name: "José Ñúñez",
    status: "active",
    tags: ["wholesale", "madrid"],
    ownerId: ben.id,
    about: "Buys for the shops in the south.",
    details: details("jose.nunez@ferreteria.example", "912 555 014", "Ferretería del Sol", "Head of purchasing"),
  });
  const lopez = await ada.call<{ id: string }>("POST", "/api/organizations", {
    name: "López e Hijos, Suministros y Herramientas de Andalucía, S. L.",
    tags: ["supplier"],
    ownerId: ben.id,
    emails: [{ email: "info@lopez.example", label: "Work" }],
    phoneNumbers: [{ country: "es", phoneNumber: "954 555 014", label: "Work" }],
    website: "https://lopez.example",
    address: "Calle Feria 12\n41003 Sevilla",
  });
  const shelves = await ada.call<{ id: string }>("POST", "/api/deals", {
    title: "Shelves and tools for the new branch",
    organizationId: lopez.id,
    customerId: jose.id,
    value: { amount: 1250000, currency: "EUR" },
    expectedDay: dayAt(20),
    ownerId: ben.id,
    tags: ["wholesale"],
  });
  const others = [
    ["Hollenbeck GmbH", "lead", ["retail"]],
    ["Brightwater Clinics and Associated Laboratories of the Northern Territories", "active", ["health", "wholesale"]],
    ["مكتبة النور", "inactive", []],
    ["Anna Kowalska", "active", ["retail"]],
  ] as const;
  for (const [at, [name, status, tags]] of others.entries()) {
    await ada.call("POST", "/api/customers", {
      name,
      status,
      tags,
      details: details(`c${at}@mail.example`, `555 010${at}`, name, "Buyer"),
    });
  }
  await gus.call("POST", "/api/customers", { name: "Secret Globex Client", status: "lead" });

  await ada.call("POST", "/api/tasks", { type: "section", title: "This week" });
  const task = await ada.call<{ id: string }>("POST", "/api/tasks", {
    type: "task",
    title: "Send the quarterly forecast",
    priority: 2,
    dueDate: dayAt(0),
    assigneeId: ada.id,
    customerId: jose.id,
    tags: ["finance"],
    subtasks: [
      { title: "Ask sales for their figures", completed: true },
      { title: "Check the totals", completed: false },
    ],
  });
  await ben.call("POST", "/api/tasks", { type: "task", title: "Renew the warehouse lease", dueDate: dayAt(-3), assigneeId: ben.id });
  await ben.call("POST", "/api/tasks", { type: "task", title: "Order packing tape", completed: true, assigneeId: ben.id });

  const event = await ada.call<{ id: string }>("POST", "/api/events", {
    title: "Quarterly supplier review",
    allDay: false,
    start: timeAt(1, 10),
    end: timeAt(1, 11),
    timezone: "Europe/Madrid",
    location: "Room 2",
    color: "green",
    attendees: [{ memberId: ben.id }],
  });
  await ada.call("POST", "/api/events", { title: "Trade fair", allDay: true, startDate: dayAt(2), endDate: dayAt(4), color: "orange" });
  await ada.call("POST", "/api/events", {
    title: "Stand-up",
    allDay: false,
    start: timeAt(-6, 8),
    end: timeAt(-6, 9),
    timezone: "Europe/Madrid",
    recurrence: "FREQ=DAILY;COUNT=20",
  });

  const page = await ada.call<{ id: string }>("POST", "/api/pages", {
    title: "Onboarding handbook",
    status: "published",
    body: "<h2>Welcome</h2><p>Start with the <strong>warehouse tour</strong>.</p><ul><li>Keys</li><li>Badge</li></ul>",
  });
  await ada.call("POST", "/api/pages", { title: "First day", status: "published", parentId: page.id, body: "<p>Nine o'clock.</p>" });

  for (const title of ["Welcome aboard", "Your report is ready"]) {
    await ada.call("POST", "/api/common/messages", { message: { title, description: "Have a <strong>look</strong>.", icon: "mail" } });
    await ada.call("POST", "/api/common/notifications", { notification: { title, description: "By the system.", icon: "bell" } });
  }
  const shortcut = { label: "Tasks", description: "What needs doing", icon: "check-square", link: "/tasks", useRouter: true };
  await ada.call("POST", "/api/common/shortcuts", { shortcut });
  const chat = await ada.call<{ id: string }>("POST", "/api/apps/chat/chat", { contactId: ben.id });
  await ada.call("POST", "/api/apps/chat/messages", { chatId: chat.id, value: "Welcome! The keys are at the front desk." });
  await ben.call("POST", "/api/apps/chat/messages", { chatId: chat.id, value: "Thank you, I found them." });
  const team = await ada.call<{ items: { id: string; email: string }[] }>("GET", "/api/team");
  const vera = team.items.find(({ email }) => email === people.vera.email);
  const sent = await ada.call<{ id: string }>("POST", "/api/messages/send", {
    to: [vera?.id],
    title: "Opening hours in December",
    text: "We are open on the 7th.\nThe list is at the door.",
  });
  const upload = new FormData();
  upload.set("file", new File(["Name;Email;Since\r\nÁngela Muñoz;angela@munoz.example;25/11/2020\r\n;no address;\r\n"], "people.csv"));
  const imported = await ada.call<{ id: string }>("POST", "/api/imports?kind=customers", upload);
  return {
    "imports/:id": `/imports/${imported.id}`,
    "messages/sent/:id?": `/messages/sent/${sent.id}`,
    "chat/:id": `/chat/${chat.id}`,
    "customers/:id": `/customers/${jose.id}`,
    "customers/organizations/:id": `/customers/organizations/${lopez.id}`,
    "customers/deals/:id": `/customers/deals/${shelves.id}`,
    "tasks/:id": `/tasks/${task.id}`,
    "events/:id": `/events/${event.id}`,
    "pages/:id": `/pages/${page.id}`,
  };
}
