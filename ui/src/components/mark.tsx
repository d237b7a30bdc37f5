/** The application's logo, for companies without one. */
export function Mark({ size = 30 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="shrink-0">
      <rect width="32" height="32" rx="9" className="fill-primary-500" />
      <path
        d="M9 23V13.5a7 7 0 0 1 14 0V23M13 23v-9a3 3 0 0 1 6 0v9"
        fill="none"
        className="stroke-primary-950"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
    </svg>
  );
}
