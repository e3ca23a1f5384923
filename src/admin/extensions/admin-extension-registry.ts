import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { builtinFieldTypes } from '../../kernel/fields/builtin-field-types.js';
import { FieldTypeRegistry } from '../../kernel/fields/field-type-registry.js';
import type { AdminExtension, AdminFieldType, AdminPage } from './admin-extension.js';

/** The path from which the page's policy allows scripts besides its own. */
const PLACE = '/_/extensions/';
const ELEMENT = /^[a-z][a-z0-9]*(-[a-z0-9]+)+$/;
const PATH = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const FUNCTION = /^[A-Za-z_$][\w$]*$/;

/** What the modules of one application add to the admin UI. Filled at start-up. */
@Injectable()
export class AdminExtensionRegistry implements OnApplicationBootstrap {
  private readonly extensions: AdminExtension[] = [];

  constructor(private readonly types: FieldTypeRegistry) {}

  /** Throws for whatever the UI could make nothing of, and for what another extension has already. */
  register(extension: AdminExtension): void {
    const { script, fieldTypes = [], pages = [], actions = [] } = extension;
    refuseUnless(isBelowPlace(script), `its script has to be an address below ${PLACE}.`, script);
    for (const { type, input, cell } of fieldTypes) {
      for (const element of [input, cell]) {
        refuseUnless(
          element === undefined || ELEMENT.test(element),
          `"${element}" is no name of a custom element.`,
          script,
        );
      }
      refuseUnless(
        !this.fieldTypes().some((other) => other.type === type),
        `the type "${type}" has an extension.`,
        script,
      );
    }
    for (const { path, title, element } of pages) {
      refuseUnless(PATH.test(path), `"${path}" is no path of a page.`, script);
      refuseUnless(title.trim() !== '', `the page "${path}" has no title.`, script);
      refuseUnless(ELEMENT.test(element), `"${element}" is no name of a custom element.`, script);
      refuseUnless(!this.pages().some((other) => other.path === path), `there is a page "${path}" already.`, script);
    }
    for (const { label, run } of actions) {
      refuseUnless(label.trim() !== '', `the action "${run}" has no label.`, script);
      refuseUnless(FUNCTION.test(run), `"${run}" is no name of a function.`, script);
    }
    this.extensions.push(extension);
  }

  /** By the addresses of their scripts: Nest makes modules in an order of its own. */
  all(): readonly AdminExtension[] {
    return [...this.extensions].sort((a, b) => (a.script < b.script ? -1 : a.script > b.script ? 1 : 0));
  }

  /** Checked when all modules have registered their field types. */
  onApplicationBootstrap(): void {
    const builtin = new Set(builtinFieldTypes().map(({ type }) => type));
    for (const { script, fieldTypes = [] } of this.extensions) {
      for (const { type } of fieldTypes) {
        refuseUnless(!builtin.has(type), `"${type}" is a field type of Roost, which has its input.`, script);
        refuseUnless(this.types.find(type) !== undefined, `no module registers a field type "${type}".`, script);
      }
    }
  }

  private fieldTypes(): AdminFieldType[] {
    return this.extensions.flatMap(({ fieldTypes = [] }) => fieldTypes);
  }

  private pages(): AdminPage[] {
    return this.extensions.flatMap(({ pages = [] }) => pages);
  }
}

/** As a browser reads the address, so that nothing leads out of the place. */
function isBelowPlace(script: string): boolean {
  const base = 'http://roost.invalid';
  if (!URL.canParse(script, base)) return false;
  const { pathname, origin, search, hash } = new URL(script, base);
  return origin === base && pathname.startsWith(PLACE) && script === pathname + search + hash;
}

function refuseUnless(condition: boolean, message: string, script: string): void {
  if (!condition) throw new Error(`The extension "${script}" of the admin UI: ${message}`);
}
