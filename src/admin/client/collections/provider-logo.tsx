import classes from './provider-logo.module.css';

/** The logo of a provider, as the shape of a patch of ink: right on light and dark, and no SVG of it runs a script. */
export function ProviderLogo({ svg, name, size = 22 }: { svg: string; name: string; size?: number }) {
  const box = { width: size, height: size };
  if (!svg) {
    return (
      <span aria-hidden className={classes.letter} style={box}>
        {name.slice(0, 1).toUpperCase()}
      </span>
    );
  }
  const image = `url("data:image/svg+xml;utf8,${encodeURIComponent(svg)}")`;
  return <span aria-hidden className={classes.logo} style={{ ...box, maskImage: image }} />;
}
