/** What the clinic stores. A real one would have this in a migration. */
export const CLINIC_COLLECTIONS = [
  {
    name: 'members',
    type: 'auth',
    listRule: 'id = @request.auth.id',
    viewRule: 'id = @request.auth.id',
    otp: { enabled: true, duration: 600, length: 6 },
    mfa: { enabled: true, duration: 600 },
    fields: [
      { name: 'password', type: 'password', min: 8, cost: 4 },
      { name: 'phone', type: 'text' },
      { name: 'legacy', type: 'text', hidden: true },
    ],
    indexes: ["CREATE UNIQUE INDEX idx_members_phone ON members (phone) WHERE phone != ''"],
  },
  {
    name: 'sms_codes',
    type: 'base',
    fields: [
      { name: 'account', type: 'text' },
      { name: 'hash', type: 'text' },
      { name: 'sent', type: 'date' },
    ],
  },
  {
    name: 'treatments',
    type: 'base',
    listRule: '',
    viewRule: '',
    fields: [
      { name: 'name', type: 'text', required: true },
      { name: 'fee', type: 'money' },
    ],
  },
  {
    name: 'appointments',
    type: 'base',
    listRule: 'member = @request.auth.id',
    viewRule: 'member = @request.auth.id',
    fields: [
      { name: 'member', type: 'text', required: true },
      { name: 'treatment', type: 'text', required: true },
      { name: 'at', type: 'date', required: true },
    ],
    // Two who want the same hour at the same time do not both get it.
    indexes: ['CREATE UNIQUE INDEX idx_appointments_at ON appointments (at)'],
  },
];
