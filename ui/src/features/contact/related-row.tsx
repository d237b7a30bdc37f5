import { Link } from "react-router";
import { Avatar } from "@/components/avatar";
import { openedState } from "@/records/kinds";

export interface RelatedRowProps {
  to: string;
  name: string;
  /** A second line. */
  line?: string | undefined;
  picture?: string | undefined;
}

/** A person or organization that belongs to the record shown, as a link to it. */
export const RelatedRow = ({ to, name, line, picture }: RelatedRowProps) => (
  <Link to={to} state={openedState} className="flex min-h-11 items-center gap-3 rounded-lg px-2 py-1.5 hover:bg-hover">
    <Avatar name={name} src={picture} size={32} />
    <span className="min-w-0">
      <span dir="auto" title={name} className="block truncate font-medium text-ink">
        {name}
      </span>
      {line && (
        <span dir="auto" title={line} className="block truncate text-sm text-muted">
          {line}
        </span>
      )}
    </span>
  </Link>
);
