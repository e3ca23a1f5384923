/** A number in decimal digits, never with an exponent; '' for NaN and the infinities. */
export function decimalText(number: number): string {
  if (!Number.isFinite(number)) return '';
  const text = String(number === 0 ? 0 : number);
  if (!text.includes('e')) return text;
  const [mantissa = '', exponent] = text.split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return (
    sign + (point >= digits.length ? digits.padEnd(point, '0') : `${digits.slice(0, point)}.${digits.slice(point)}`)
  );
}
