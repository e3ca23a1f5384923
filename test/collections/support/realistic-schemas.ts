import { exportedBefore, exportedNow, type Note, type Rules } from './exported-shape.js';

const SIGNED_IN = `@request.auth.id != ''`;
const OPEN: Rules = ['', '', null, null, null];
const OWN = (field: string): Rules => {
  const rule = `${field} = @request.auth.id`;
  return [rule, rule, SIGNED_IN, rule, rule];
};

/** A marketplace: accounts of two kinds, products with variants, orders, and figures as views over views. */
const MARKETPLACE: readonly Note[] = [
  {
    name: 'order_totals',
    type: 'view',
    is: `SELECT o.id, o.customer, sum(i.quantity * i.price) AS total, count(i.id) AS items FROM orders o LEFT JOIN order_items i ON i."order" = o.id GROUP BY o.id`,
    rules: ['customer = @request.auth.id', null, null, null, null],
  },
  {
    name: 'customer_totals',
    type: 'view',
    is: 'SELECT t.customer AS id, sum(t.total) AS spent, count(t.id) AS orders FROM order_totals t GROUP BY t.customer',
  },
  {
    name: 'best_customers',
    type: 'view',
    is: 'SELECT c.id, c.spent, u.name FROM customer_totals c JOIN customers u ON u.id = c.id WHERE c.spent > 1000',
  },
  {
    name: 'customers',
    type: 'auth',
    is: 'name!, avatar:file, phone, language=en|de|fr, birthday:date, favourites>>products, invited_by>customers, default_address>addresses',
    rules: ['id = @request.auth.id', 'id = @request.auth.id', '', 'id = @request.auth.id', 'id = @request.auth.id'],
    indexes: [
      "CREATE UNIQUE INDEX `idx_customers_phone` ON `customers` (`phone`) WHERE `phone` != ''",
      'CREATE INDEX `idx_customers_name` ON `customers` (\n  `name` COLLATE NOCASE,\n  `created` DESC\n)',
    ],
    options: {
      authRule: 'verified = true',
      manageRule: `@request.auth.collectionName = 'staff'`,
      passwordAuth: { enabled: true, identityFields: ['email', 'phone'] },
      otp: { enabled: true, duration: 300, length: 6 },
      mfa: { enabled: true, duration: 900, rule: `language = 'de'` },
      authToken: { duration: 604800 },
      oauth2: {
        enabled: false,
        mappedFields: { id: '', name: 'name', username: '', avatarURL: 'avatar' },
        providers: [],
      },
    },
  },
  {
    name: 'staff',
    type: 'auth',
    is: 'name!, role=clerk|manager|owner, shops>>shops, manager>staff',
    rules: [`@request.auth.role = 'owner'`, SIGNED_IN, null, null, null],
    options: { authAlert: { enabled: false }, passwordAuth: { enabled: true, identityFields: ['email'] } },
  },
  {
    name: 'addresses',
    is: 'customer>!customers, street!, city!, zip, country>countries, place:geoPoint',
    rules: OWN('customer'),
  },
  {
    name: 'countries',
    is: 'code!, name!, currency>currencies, neighbours>>countries',
    rules: OPEN,
    indexes: ['CREATE UNIQUE INDEX idx_country_code ON countries (code)'],
  },
  { name: 'currencies', is: 'code!, symbol, rate:number', rules: OPEN },
  {
    name: 'shops',
    is: 'name!, slug!, owner>staff, logo:file, about:editor, open==mo|tu|we|th|fr|sa|su, website:url, settings:json',
    rules: ['', '', null, 'owner = @request.auth.id', null],
    indexes: ['CREATE UNIQUE INDEX idx_shops_slug ON shops (slug)'],
  },
  { name: 'categories', is: 'name!, parent>categories, children>>categories, position:int', rules: OPEN },
  { name: 'brands', is: 'name!, home>countries, logo:file', rules: OPEN },
  {
    name: 'products',
    is: 'title!, slug!, shop>!shops, brand>brands, categories>>categories, description:editor, photos:files, price:number, vat=0|7|19, published:bool, main_variant>variants, related>>products',
    rules: [
      'published = true || shop.owner = @request.auth.id',
      'published = true',
      SIGNED_IN,
      'shop.owner = @request.auth.id',
      null,
    ],
    indexes: [
      'CREATE INDEX idx_products_published ON products (published, created) WHERE published = TRUE',
      'CREATE UNIQUE INDEX idx_products_slug ON products (shop, slug)',
    ],
  },
  {
    name: 'variants',
    is: 'product>!products, sku!, color, size=S|M|L|XL, stock:int, weight:number',
    rules: OPEN,
    indexes: ['CREATE UNIQUE INDEX idx_variants_sku ON variants (sku COLLATE NOCASE)'],
  },
  {
    name: 'reviews',
    is: 'product>!products, customer>customers, stars:int, text:editor, answers>>reviews, photos:files',
    rules: [
      '',
      '',
      `${SIGNED_IN} && @collection.orders.customer ?= @request.auth.id`,
      'customer = @request.auth.id',
      null,
    ],
  },
  { name: 'carts', is: 'customer>!customers, items:json, coupon>coupons', rules: OWN('customer') },
  {
    name: 'coupons',
    is: 'code!, percent:number, until:date, products>>products',
    rules: [null, null, null, null, null],
  },
  {
    name: 'orders',
    is: 'number!, customer>customers, address>addresses, state=new|paid|sent|done, note, placed:date, coupon>coupons, shipment>shipments',
    rules: [
      'customer = @request.auth.id',
      'customer = @request.auth.id || @request.auth.collectionName = "staff"',
      SIGNED_IN,
      null,
      null,
    ],
    indexes: ['CREATE INDEX idx_orders_customer ON orders (customer, state)'],
  },
  {
    name: 'order_items',
    is: 'order>!orders, variant>variants, quantity:int, price:number',
    rules: ['order.customer = @request.auth.id', null, null, null, null],
  },
  {
    name: 'shipments',
    is: 'order>!orders, carrier, tracking:url, events:json',
    rules: ['order.customer = @request.auth.id', null, null, null, null],
  },
  { name: 'payments', is: 'order>!orders, method=card|transfer, amount:number, reference, payload:json' },
  {
    name: 'messages',
    is: 'from>customers, to>staff, order>orders, text!, read:bool, attachments:files',
    rules: OWN('from'),
  },
  {
    name: 'wishlists',
    is: 'customer>!customers, name!, products>>products, public:bool',
    rules: [
      'public = true || customer = @request.auth.id',
      'public = true',
      SIGNED_IN,
      'customer = @request.auth.id',
      'customer = @request.auth.id',
    ],
  },
  {
    name: 'product_cards',
    type: 'view',
    is: `SELECT p.id, p.title, p.price, p.photos, p.shop, s.name AS shop_name, (SELECT avg(r.stars) FROM reviews r WHERE r.product = p.id) AS stars, cast(p.price * 1.19 AS real) AS gross FROM products p JOIN shops s ON s.id = p.shop`,
    rules: OPEN,
  },
  {
    name: 'top_products',
    type: 'view',
    is: 'SELECT id, title, photos, stars FROM product_cards WHERE stars >= 4',
    rules: OPEN,
  },
];

/** A school in the older shape: user names, "only verified", relations without a limit. */
const SCHOOL: readonly Note[] = [
  {
    name: 'people',
    type: 'auth',
    is: 'full_name!, birthday:date, picture:file, guardians>>people, class>classes',
    rules: ['id = @request.auth.id', SIGNED_IN, null, 'id = @request.auth.id', null],
    options: {
      allowEmailAuth: true,
      allowOAuth2Auth: false,
      allowUsernameAuth: true,
      exceptEmailDomains: [],
      onlyEmailDomains: null,
      manageRule: null,
      minPasswordLength: 10,
      onlyVerified: true,
      requireEmail: false,
    },
  },
  {
    name: 'teachers',
    type: 'auth',
    is: 'full_name!, subjects>>subjects, deputy>teachers, room>rooms',
    rules: OPEN,
    options: {
      allowEmailAuth: true,
      allowOAuth2Auth: true,
      allowUsernameAuth: false,
      exceptEmailDomains: null,
      onlyEmailDomains: ['school.example'],
      manageRule: 'deputy = @request.auth.id',
      minPasswordLength: 8,
      onlyVerified: false,
      requireEmail: true,
    },
  },
  { name: 'classes', is: 'name!, teacher>teachers, year>years, students>>people', rules: OPEN },
  { name: 'years', is: 'name!, begins:date, ends:date, previous>years', rules: OPEN },
  {
    name: 'subjects',
    is: 'name!, short!, needs>>subjects',
    rules: OPEN,
    indexes: ['CREATE UNIQUE INDEX `idx_subjects_short` ON `subjects` (`short`)'],
  },
  { name: 'rooms', is: 'number!, seats:int, building>buildings, equipment==beamer|piano|lab', rules: OPEN },
  { name: 'buildings', is: 'name!, plan:file', rules: OPEN },
  {
    name: 'lessons',
    is: 'class>!classes, subject>subjects, teacher>teachers, room>rooms, day=mo|tu|we|th|fr, hour:int',
    rules: OPEN,
    indexes: ['CREATE INDEX `idx_lessons_when` ON `lessons` (`day`, `hour`)'],
  },
  { name: 'absences', is: 'person>!people, from:date, until:date, reason:editor, excused:bool', rules: OWN('person') },
  { name: 'exams', is: 'lesson>lessons, title!, date:date, weight:number, tasks:files', rules: OPEN },
  {
    name: 'grades',
    is: 'exam>!exams, person>!people, points:number, comment',
    rules: [
      'person = @request.auth.id || exam.lesson.teacher = @request.auth.id',
      'person = @request.auth.id',
      null,
      null,
      null,
    ],
  },
  { name: 'homework', is: 'lesson>!lessons, text:editor, due:date, files:files', rules: OPEN },
  { name: 'hand_ins', is: 'homework>!homework, person>people, file:file, late:bool', rules: OWN('person') },
  { name: 'clubs', is: 'name!, leader>teachers, members>>people, about:editor, website:url', rules: OPEN },
  { name: 'events', is: 'title!, begins:date, place>rooms, clubs>>clubs, poster:file', rules: OPEN },
  { name: 'news', is: 'title!, text:editor, author>teachers, pinned:bool, pictures:files', rules: OPEN },
  {
    name: 'letters',
    is: 'to>>people, subject!, text:editor, read_by>>people',
    rules: [`to.id ?= @request.auth.id`, `to.id ?= @request.auth.id`, null, null, null],
  },
  { name: 'books', is: 'title!, isbn, copies:int, lent_to>>people', rules: OPEN },
  { name: 'lunches', is: 'date:date, dish!, vegetarian:bool, eaters>>people', rules: OPEN },
  {
    name: 'averages',
    type: 'view',
    is: 'SELECT g.person AS id, avg(g.points) AS average, count(g.id) AS grades FROM grades g GROUP BY g.person',
    rules: ['id = @request.auth.id', null, null, null, null],
  },
  {
    name: 'report_cards',
    type: 'view',
    is: 'SELECT a.id, p.full_name, p.class, a.average FROM averages a JOIN people p ON p.id = a.id',
    rules: ['class.teacher = @request.auth.id', null, null, null, null],
  },
  {
    name: 'class_averages',
    type: 'view',
    is: 'SELECT (ROW_NUMBER() OVER ()) AS id, c.class, avg(c.average) AS average FROM report_cards c GROUP BY c.class',
  },
];

const TRACKED = ['issues', 'milestones', 'releases', 'documents', 'deployments', 'incidents', 'experiments', 'surveys'];

/** A tracker for teams: eight kinds of things, each with comments, watchers, changes and a view of its activity. */
const TRACKER: readonly Note[] = [
  {
    name: 'users',
    type: 'auth',
    is: 'name!, teams>>teams, boss>users, settings:json, photo:file',
    rules: [SIGNED_IN, SIGNED_IN, null, 'id = @request.auth.id', null],
    indexes: ['CREATE UNIQUE INDEX idx_users_name ON users (name)'],
    options: {
      passwordAuth: { enabled: true, identityFields: ['name', 'email'] },
      otp: { enabled: false, duration: 180, length: 8 },
      mfa: { enabled: false, duration: 600, rule: '' },
      passwordResetToken: { duration: 900 },
    },
  },
  {
    name: 'teams',
    is: 'name!, lead>users, parent>teams, members>>users',
    rules: ['members.id ?= @request.auth.id', null, null, 'lead = @request.auth.id', null],
  },
  { name: 'labels', is: 'name!, color, team>teams', rules: [SIGNED_IN, null, null, null, null] },
  ...TRACKED.flatMap((name): Note[] => [
    {
      name,
      is: `title!, text:editor, team>teams, author>users, labels>>labels, state=open|waiting|closed, due:date, blocks>>${name}, files:files, data:json`,
      rules: [
        `team.members.id ?= @request.auth.id`,
        `team.members.id ?= @request.auth.id`,
        SIGNED_IN,
        'author = @request.auth.id || team.lead = @request.auth.id',
        null,
      ],
      indexes: [`CREATE INDEX idx_${name}_state ON ${name} (team, state, due DESC)`],
    },
    {
      name: `${name}_comments`,
      is: `about>!${name}, author>users, text:editor, reply_to>${name}_comments, likes>>users`,
      rules: [
        'about.team.members.id ?= @request.auth.id',
        null,
        SIGNED_IN,
        'author = @request.auth.id',
        'author = @request.auth.id',
      ],
    },
    {
      name: `${name}_watchers`,
      is: `about>!${name}, user>!users, since:date, muted:bool`,
      rules: OWN('user'),
      indexes: [`CREATE UNIQUE INDEX idx_${name}_watchers ON ${name}_watchers (about, user)`],
    },
    {
      name: `${name}_changes`,
      is: `about>!${name}, user>users, before:json, after:json`,
      rules: [`about.${name}_watchers_via_about.user ?= @request.auth.id`, null, null, null, null],
    },
    {
      name: `${name}_activity`,
      type: 'view',
      is: `SELECT i.id, i.title, i.team, i.state, count(DISTINCT c.id) AS comments, max(c.updated) AS last FROM ${name} i LEFT JOIN ${name}_comments c ON c.about = i.id GROUP BY i.id`,
      rules: ['team.members.id ?= @request.auth.id', null, null, null, null],
    },
  ]),
  {
    name: 'everything',
    type: 'view',
    is: TRACKED.map((name) => `SELECT a.id, a.title, a.team, a.comments FROM ${name}_activity a`).join(' UNION ALL '),
  },
  {
    name: 'busy_teams',
    type: 'view',
    is: "SELECT e.team AS id, count(*) AS things, sum(e.comments) AS comments FROM everything e WHERE e.team != '' GROUP BY e.team",
  },
];

/** Schemas as their authors would have exported them, by what they are for. */
export const REALISTIC_SCHEMAS = {
  marketplace: exportedNow('shop', MARKETPLACE),
  school: exportedBefore('school', SCHOOL),
  tracker: exportedNow('tracker', TRACKER),
} as const;
