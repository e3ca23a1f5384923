import sharp, { type Sharp } from 'sharp';

/** Red, green, blue, and how opaque. */
export type Colour = readonly [number, number, number, number];

const CELL = 40;

/** Pixels this near to another cell may have taken something of its colour. */
const MARGIN = 8;

/**
 * A picture of large cells, each of another colour, so that it can be said of every point of a thumbnail which colour
 * must be there: worked out from the geometry, not by an image library.
 */
export class ReferencePicture {
  constructor(
    readonly columns: number,
    readonly rows: number,
    private readonly colourOf: (column: number, row: number) => Colour = colourful,
  ) {}

  get width(): number {
    return this.columns * CELL;
  }

  get height(): number {
    return this.rows * CELL;
  }

  /** Undefined near the edge of a cell. */
  colourAt(x: number, y: number): Colour | undefined {
    const isInside = [x, y].every((value) => value % CELL >= MARGIN && value % CELL <= CELL - MARGIN);
    return isInside ? this.colourOf(Math.floor(x / CELL), Math.floor(y / CELL)) : undefined;
  }

  /** The pixels as a camera stores them that was held so that this EXIF orientation makes them upright. */
  taken(orientation = 1): Sharp {
    const { width, height } = this;
    const isTurned = orientation >= 5;
    const stored = { width: isTurned ? height : width, height: isTurned ? width : height };
    const [right, bottom] = [width - 1, height - 1];
    const data = Buffer.alloc(width * height * 4);
    for (let y = 0; y < stored.height; y++) {
      for (let x = 0; x < stored.width; x++) {
        const [fromX, fromY] = [
          [x, y],
          [right - x, y],
          [right - x, bottom - y],
          [x, bottom - y],
          [y, x],
          [right - y, x],
          [right - y, bottom - x],
          [y, bottom - x],
        ][orientation - 1]!;
        data.set(this.colourOf(Math.floor(fromX! / CELL), Math.floor(fromY! / CELL)), (y * stored.width + x) * 4);
      }
    }
    return sharp(data, { raw: { ...stored, channels: 4 } });
  }

  /**
   * How far the colours of a thumbnail are from what they must be: the largest difference of a channel, at all points
   * that are not near the edge of a cell. Infinite when the measures are others than the size asks for.
   */
  async distanceOf(thumbnail: Buffer, size: string): Promise<number> {
    const { data, info } = await sharp(thumbnail).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    const { scale, left, top, width, height } = this.geometry(size);
    if (info.width !== width || info.height !== height) return Infinity;
    let distance = 0;
    let compared = 0;
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const expected = this.colourAt((x + 0.5 + left) / scale, (y + 0.5 + top) / scale);
        if (!expected) continue;
        compared++;
        const at = (y * width + x) * 4;
        // What nobody can see may have any colour.
        for (const channel of expected[3] === 0 ? [3] : [0, 1, 2, 3]) {
          distance = Math.max(distance, Math.abs(data[at + channel]! - expected[channel]!));
        }
      }
    }
    return compared > (width * height) / 8 ? distance : Infinity;
  }

  /** FS-82 in numbers: by how much the picture is scaled, and which part of that is shown. */
  private geometry(size: string): { scale: number; left: number; top: number; width: number; height: number } {
    const [, w, h, suffix] = /^(\d+)x(\d+)([tbf]?)$/.exec(size)!;
    const [byWidth, byHeight] = [Number(w) / this.width, Number(h) / this.height];
    if (suffix === 'f' || byWidth === 0 || byHeight === 0) {
      const scale = suffix === 'f' ? Math.min(1, byWidth, byHeight) : byWidth || byHeight;
      return { scale, left: 0, top: 0, width: Math.round(this.width * scale), height: Math.round(this.height * scale) };
    }
    const scale = Math.max(byWidth, byHeight);
    const [spareWidth, spareHeight] = [this.width * scale - Number(w), this.height * scale - Number(h)];
    const top = suffix === 't' ? 0 : suffix === 'b' ? spareHeight : spareHeight / 2;
    return { scale, left: spareWidth / 2, top, width: Number(w), height: Number(h) };
  }
}

function colourful(column: number, row: number): Colour {
  return [40 + 35 * column, 40 + 35 * row, (column + row) % 2 === 0 ? 60 : 190, 255];
}
