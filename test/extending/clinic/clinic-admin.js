const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' });

/** Edits a fee. What the page gives it arrives as properties: `field`, `value`, `error`, `client`, `theme`, … */
class FeeInput extends HTMLElement {
  #input = document.createElement('input');

  connectedCallback() {
    Object.assign(this.#input, { type: 'number', step: '0.01', min: '0' });
    this.#input.setAttribute('aria-label', `${this.field.name} in euros`);
    this.#input.style.cssText =
      'width: 100%; padding: 7px 10px; border: 1px solid var(--line-strong); border-radius: 6px; ' +
      'background: var(--surface); color: var(--ink); font: inherit';
    this.#input.addEventListener('input', () =>
      this.dispatchEvent(new CustomEvent('roost-change', { detail: this.#input.valueAsNumber || 0 })),
    );
    this.replaceChildren(this.#input);
  }

  set value(value) {
    // What somebody is typing stays as it is typed.
    if (this.#input.valueAsNumber !== value) this.#input.value = value;
  }

  set error(error) {
    this.#input.setAttribute('aria-invalid', String(Boolean(error)));
  }
}

/** Shows a fee in a list. */
class FeeCell extends HTMLElement {
  set value(value) {
    this.textContent = money.format(value);
  }
}

/** A page. */
class PriceList extends HTMLElement {
  async connectedCallback() {
    this.style.cssText = 'display: block; padding: 24px';
    const treatments = await this.client.collection('treatments').getFullList({ sort: '-fee' });
    const title = Object.assign(document.createElement('h1'), { textContent: 'Price list' });
    const list = document.createElement('ul');
    for (const { name, fee } of treatments) {
      list.append(Object.assign(document.createElement('li'), { textContent: `${name}: ${money.format(fee)}` }));
    }
    this.replaceChildren(title, list);
  }

  set theme({ colorScheme, accent }) {
    this.dataset.scheme = colorScheme;
    this.style.accentColor = accent;
  }
}

/** An action on records. */
export async function raiseFees({ client, collection, ids }) {
  for (const id of ids) {
    const { fee } = await client.collection(collection.id).getOne(id);
    await client.collection(collection.id).update(id, { fee: fee * 1.1 });
  }
  return `Raised the fees of ${ids.length}.`;
}

customElements.define('clinic-fee-input', FeeInput);
customElements.define('clinic-fee-cell', FeeCell);
customElements.define('clinic-price-list', PriceList);
