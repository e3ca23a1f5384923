/** A view that selects what an account never shows, under its own name and another; and what it does show. */
export const VIEW_OF_SECRETS = {
  name: 'secrets',
  type: 'view',
  listRule: '',
  viewRule: '',
  viewQuery: 'select id, password as hash, tokenKey, name as shown from users',
};
