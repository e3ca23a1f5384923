/** The logo of a provider, as a picture: an SVG in an `img` runs no script. */
export function ProviderLogo({ svg, name, size = 22 }: { svg: string; name: string; size?: number }) {
  if (!svg) {
    return (
      <span
        aria-hidden
        style={{
          display: 'inline-grid',
          placeItems: 'center',
          width: size,
          height: size,
          borderRadius: 5,
          background: 'var(--sunken)',
          color: 'var(--ink-2)',
          fontWeight: 600,
          fontSize: 11,
          flex: 'none',
        }}
      >
        {name.slice(0, 1).toUpperCase()}
      </span>
    );
  }
  return (
    <img
      alt=""
      width={size}
      height={size}
      src={`data:image/svg+xml;utf8,${encodeURIComponent(svg)}`}
      style={{ flex: 'none' }}
    />
  );
}
