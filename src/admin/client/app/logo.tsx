/** The mark: a bird on its perch, in the accent colour. */
export function Logo({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--accent-fill)" />
      <path d="M6 22.5h20" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
      <path d="M9.5 20.5c0-6.6 3.9-11 9-11 1.9 0 3.4.8 4.3 2l2.7.9-2.2 1.7c.1 3.7-2.6 6.4-6.6 6.4z" fill="#fff" />
      <circle cx="19.4" cy="12.6" r="1.1" fill="var(--accent-fill)" />
    </svg>
  );
}
