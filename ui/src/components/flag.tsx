import { Globe } from "lucide-react";

/** A drawn flag, because flag emoji do not show everywhere; other languages show a globe and their code. */
export function Flag({ language, width = 20 }: { language: string; width?: number }) {
  const frame = "shrink-0 rounded-[2px] ring-1 ring-black/8";
  const height = width * 0.7;
  if (language === "en") {
    return (
      <svg width={width} height={height} viewBox="0 0 20 14" aria-hidden="true" className={frame}>
        <rect width="20" height="14" fill="#fff" />
        <path d="M0 .54h20M0 2.7h20M0 4.85h20M0 7h20M0 9.15h20M0 11.3h20M0 13.46h20" stroke="#b22234" strokeWidth="1.08" />
        <rect width="9" height="7.54" fill="#3c3b6e" />
        <path d="M1.2 1.3h7M1.2 3h7M1.2 4.7h7M1.2 6.3h7" stroke="#fff" strokeWidth=".7" strokeDasharray=".7 .9" />
      </svg>
    );
  }
  if (language === "en-GB") {
    return (
      <svg width={width} height={height} viewBox="0 0 20 14" aria-hidden="true" className={frame}>
        <rect width="20" height="14" fill="#012169" />
        <path d="M0 0l20 14M20 0L0 14" stroke="#fff" strokeWidth="2.8" />
        <path d="M0 0l20 14M20 0L0 14" stroke="#c8102e" strokeWidth="1.1" />
        <path d="M10 0v14M0 7h20" stroke="#fff" strokeWidth="4.6" />
        <path d="M10 0v14M0 7h20" stroke="#c8102e" strokeWidth="2.8" />
      </svg>
    );
  }
  if (language === "es") {
    return (
      <svg width={width} height={height} viewBox="0 0 20 14" aria-hidden="true" className={frame}>
        <rect width="20" height="14" fill="#c60b1e" />
        <rect y="3.5" width="20" height="7" fill="#ffc400" />
        <rect x="4" y="5.2" width="2.6" height="3.6" rx=".8" fill="#c60b1e" />
      </svg>
    );
  }
  return (
    <span aria-hidden className="grid shrink-0 justify-items-center text-muted" style={{ width }}>
      <Globe size={height + 2} strokeWidth={1.75} />
      <span className="mt-px text-[9px] leading-none font-bold uppercase">{language}</span>
    </span>
  );
}
