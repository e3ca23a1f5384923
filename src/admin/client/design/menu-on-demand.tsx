import { cloneElement, useEffect, useRef, useState, type ComponentType, type ReactElement } from 'react';
import { toastError } from './toast.js';

/** What a menu that comes on demand is given besides its own options: the button it belongs to. */
export interface MenuOfButton {
  readonly children: ReactElement;
}

interface MenuOnDemandProps<Options extends object> {
  /** Fetches the menu. */
  readonly load: () => Promise<ComponentType<Options & MenuOfButton>>;
  readonly options: Options;
  /** The button; it looks the same before and after. */
  readonly children: ReactElement<object>;
}

/**
 * A button whose menu is fetched when somebody comes near it and takes its place when it is first used: menus and what
 * positions them are a sixth of the code that the first screen would have to wait for (OPS-203).
 */
export function MenuOnDemand<Options extends object>({ load, options, children }: MenuOnDemandProps<Options>) {
  const [Menu, setMenu] = useState<ComponentType<Options & MenuOfButton> | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!Menu) return;
    // The menu has drawn the button anew: it gets the focus first, so that it has it again when the menu is closed.
    button.current?.focus();
    button.current?.click();
  }, [Menu]);
  if (Menu) return <Menu {...options}>{cloneElement(children, { ref: button } as object)}</Menu>;
  const fetchAhead = () => void load().catch(() => undefined);
  return cloneElement(children, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: fetchAhead,
    onFocus: fetchAhead,
    onClick: () => void load().then((loaded) => setMenu(() => loaded), toastError),
  } as object);
}
