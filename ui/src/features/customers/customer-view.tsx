import { useQuery } from "@tanstack/react-query";
import { Building2, Cake, CircleCheck, ExternalLink, Mail, MapPin, NotebookText, Paperclip, Phone, UserRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Attachment, Customer } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Fact } from "@/components/fact";
import { Html } from "@/components/html";
import { SafeLink } from "@/components/safe-link";
import { Tag } from "@/components/tag";
import { Person } from "@/features/team/person";
import { phoneLink, phoneText } from "@/lib/countries";
import { formatDate, mediumDate } from "@/lib/format";
import { customerTasksQuery } from "./data";
import { CustomerStatus } from "./status";

const labelled = (label: string | undefined) => label && <span className="text-muted">{` · ${label}`}</span>;

function OpenTasks({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data } = useQuery(customerTasksQuery(id));
  if (!data || data.items.length === 0) return null;
  return (
    <section className="mt-7 border-t border-line pt-5">
      <h3 className="mb-2 text-sm font-semibold text-ink">{t("ui.customers.openTasks")}</h3>
      <ul>
        {data.items.map((task) => (
          <li key={task.id} className="flex items-center gap-2.5 py-1.5">
            <CircleCheck aria-hidden size={18} className="text-gray-400" />
            <Link to={`/tasks/${task.id}`} dir="auto" className="min-w-0 flex-1 truncate hover:underline">
              {task.title}
            </Link>
            {task.dueDate && (
              <span className="shrink-0 text-sm text-muted">{formatDate(task.dueDate, { day: "numeric", month: "short" })}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** An attachment is an address, or a record with one. */
const attached = (one: Attachment | string) =>
  typeof one === "string" ? { url: one, name: one } : { url: one.url, name: one.name ?? one.url };

/** A customer's data; empty fields are hidden. */
export function CustomerView({ record: customer }: { record: Customer }) {
  const { t } = useTranslation();
  const { details, attachments } = customer;
  const links = attachments.links.map(attached);
  const bare =
    !details.company &&
    !details.title &&
    details.emails.length === 0 &&
    details.phoneNumbers.length === 0 &&
    !details.address &&
    !customer.notes;
  return (
    <>
      <div className="h-32 bg-tint sm:h-36">
        {customer.background && <img src={customer.background} alt="" className="size-full object-cover" />}
      </div>
      <div className="px-5 sm:px-6">
        <Avatar name={customer.name} src={customer.avatar} size={104} className="-mt-14 rounded-full ring-4 ring-surface" />
        <h2 dir="auto" className="mt-3 text-[26px] leading-8 font-title tracking-[-.022em] text-ink [overflow-wrap:anywhere]">
          {customer.name}
        </h2>
        <div className="mt-2.5 flex flex-wrap items-center gap-1.5">
          <CustomerStatus status={customer.status} />
          {customer.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </div>
        {customer.about && (
          <p dir="auto" className="mt-4 whitespace-pre-line text-soft">
            {customer.about}
          </p>
        )}
        <dl className="mt-6 grid grid-cols-1 gap-4">
          {(details.company || details.title) && (
            <Fact icon={Building2} label={t("ui.customers.company")}>
              <span dir="auto">{[details.company, details.title].filter(Boolean).join(" · ")}</span>
            </Fact>
          )}
          {details.emails.length > 0 && (
            <Fact icon={Mail} label={t("ui.customers.email")}>
              <ul className="grid grid-cols-1 gap-1">
                {details.emails.map((one) => (
                  <li key={`${one.email} ${one.label}`} className="truncate">
                    <a href={`mailto:${one.email}`} className="text-accent hover:underline">
                      {one.email}
                    </a>
                    {labelled(one.label)}
                  </li>
                ))}
              </ul>
            </Fact>
          )}
          {details.phoneNumbers.length > 0 && (
            <Fact icon={Phone} label={t("ui.customers.phone")}>
              <ul className="grid gap-1 tabular-nums">
                {details.phoneNumbers.map((one) => (
                  <li key={`${one.phoneNumber} ${one.label}`}>
                    <a href={phoneLink(one)} className="text-accent hover:underline">
                      {phoneText(one)}
                    </a>
                    {labelled(one.label)}
                  </li>
                ))}
              </ul>
            </Fact>
          )}
          {details.address && (
            <Fact icon={MapPin} label={t("ui.customers.address")}>
              <span dir="auto" className="whitespace-pre-line">
                {details.address}
              </span>
            </Fact>
          )}
          {details.birthday && (
            <Fact icon={Cake} label={t("ui.customers.birthday")}>
              {formatDate(details.birthday, { day: "numeric", month: "long", year: "numeric" })}
            </Fact>
          )}
          {customer.ownerId && (
            <Fact icon={UserRound} label={t("ui.customers.owner")}>
              <Person id={customer.ownerId} />
            </Fact>
          )}
          {links.length > 0 && (
            <Fact icon={Paperclip} label={t("ui.customers.links")}>
              <ul className="grid grid-cols-1 gap-1">
                {links.map((file) => (
                  <li key={file.url} className="truncate">
                    <SafeLink
                      link={file.url}
                      useRouter={false}
                      className="inline-flex max-w-full items-center gap-1.5 text-accent hover:underline"
                    >
                      <span className="truncate">{file.name}</span>
                      <ExternalLink aria-hidden size={14} />
                    </SafeLink>
                  </li>
                ))}
              </ul>
            </Fact>
          )}
          {customer.notes && (
            <Fact icon={NotebookText} label={t("ui.customers.notes")}>
              <Html html={customer.notes} rich className="prose" />
            </Fact>
          )}
        </dl>
        {bare && <p className="text-muted">{t("ui.customers.bare")}</p>}
        <OpenTasks id={customer.id} />
        <p className="mt-6 text-sm text-muted">
          {t("ui.customers.dates", { created: mediumDate(customer.createdAt), updated: mediumDate(customer.updatedAt) })}
        </p>
      </div>
    </>
  );
}
