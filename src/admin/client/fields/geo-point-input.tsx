import 'leaflet/dist/leaflet.css';
import { Button, Group, NumberInput, TextInput } from '@mantine/core';
import { IconMap, IconSearch } from '@tabler/icons-react';
import L from 'leaflet';
import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../api/failure.js';
import { FieldFrame } from './field-frame.js';
import type { FieldInputProps } from './field-input-props.js';
import classes from './fields.module.css';

interface Point {
  lon: number;
  lat: number;
}

interface Place {
  display_name: string;
  lat: string;
  lon: string;
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function PointMap({ point, onMove }: { point: Point; onMove: (point: Point) => void }) {
  const host = useRef<HTMLDivElement>(null);
  const map = useRef<L.Map | null>(null);
  const marker = useRef<L.CircleMarker | null>(null);
  const latest = useRef(onMove);
  latest.current = onMove;
  useEffect(() => {
    const created = L.map(host.current!, { zoomControl: true, attributionControl: true }).setView(
      [point.lat, point.lon],
      point.lat || point.lon ? 12 : 1,
    );
    L.tileLayer('https://tile.openstreetmap.org/{z}/{x}/{y}.png', {
      maxZoom: 19,
      attribution: '© OpenStreetMap contributors',
    }).addTo(created);
    marker.current = L.circleMarker([point.lat, point.lon], {
      radius: 8,
      weight: 3,
      color: '#1f6f5c',
      fillColor: '#fff',
      fillOpacity: 1,
    }).addTo(created);
    created.on('click', ({ latlng }) =>
      latest.current({ lat: round(latlng.lat), lon: round(L.Util.wrapNum(latlng.lng, [-180, 180])) }),
    );
    map.current = created;
    return () => {
      created.remove();
    };
    // The map is made once; later positions are followed below.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  useEffect(() => {
    marker.current?.setLatLng([point.lat, point.lon]);
    if (map.current && !map.current.getBounds().contains([point.lat, point.lon]))
      map.current.panTo([point.lat, point.lon]);
  }, [point.lat, point.lon]);
  return <div ref={host} className={classes.map} role="application" aria-label="Map: click to set the point" />;
}

/** A place on earth by longitude and latitude, with a map and a place search where there is internet. */
export function GeoPointInput({ field, value, onChange, error }: FieldInputProps) {
  const point: Point = { lon: 0, lat: 0, ...(value as Partial<Point> | null) };
  const [map, setMap] = useState(false);
  const [search, setSearch] = useState('');
  const [places, setPlaces] = useState<readonly Place[]>([]);
  const [note, setNote] = useState('');
  const find = async () => {
    setNote('');
    setPlaces([]);
    try {
      const answer = await fetch(
        `https://nominatim.openstreetmap.org/search?format=json&limit=6&q=${encodeURIComponent(search)}`,
      );
      if (!answer.ok) throw new Error(`it answered with status ${answer.status}`);
      const found = (await answer.json()) as Place[];
      setPlaces(found);
      if (!found.length) setNote('No place found.');
    } catch (failure) {
      setNote(`The place search cannot be reached (${messageOf(failure)}).`);
    }
  };
  return (
    <FieldFrame field={field} error={error}>
      <Group gap={8} wrap="nowrap" align="flex-end">
        {(['lon', 'lat'] as const).map((key) => (
          <NumberInput
            key={key}
            flex={1}
            miw={0}
            aria-label={`${field.name} ${key === 'lon' ? 'longitude' : 'latitude'}`}
            leftSection={<span className="hint">{key}</span>}
            value={point[key]}
            error={Boolean(error)}
            onChange={(next) => onChange({ ...point, [key]: next === '' ? 0 : Number(next) })}
            decimalScale={8}
            hideControls
          />
        ))}
        <Button variant="default" leftSection={<IconMap size={15} />} aria-expanded={map} onClick={() => setMap(!map)}>
          Map
        </Button>
      </Group>
      {map ? (
        <>
          <TextInput
            mt={8}
            aria-label="Search a place"
            placeholder="Search a place"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') {
                event.preventDefault();
                void find();
              }
            }}
            rightSectionWidth={84}
            rightSection={
              <Button
                size="compact-xs"
                variant="subtle"
                leftSection={<IconSearch size={13} />}
                onClick={() => void find()}
              >
                Find
              </Button>
            }
          />
          {note ? <p className={classes.help}>{note}</p> : null}
          {places.map((place) => (
            <Button
              key={`${place.lat},${place.lon}`}
              variant="subtle"
              color="gray"
              size="compact-sm"
              fullWidth
              justify="flex-start"
              onClick={() => onChange({ lon: round(Number(place.lon)), lat: round(Number(place.lat)) })}
            >
              {place.display_name}
            </Button>
          ))}
          <PointMap point={point} onMove={onChange} />
        </>
      ) : null}
    </FieldFrame>
  );
}
