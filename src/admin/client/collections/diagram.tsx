import '@xyflow/react/dist/style.css';
import { Button, useComputedColorScheme } from '@mantine/core';
import { useViewportSize } from '@mantine/hooks';
import {
  Background,
  BaseEdge,
  Controls,
  Handle,
  Panel,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Edge,
  type EdgeProps,
  type Node,
  type NodeProps,
} from '@xyflow/react';
// Not in a worker: the policy of the page has none, since uploads come from where it comes from (OPS-33a).
import ELK from 'elkjs/lib/elk.bundled.js';
import { useEffect, useMemo, useState } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import { FailedState, LoadingLines } from '../design/states.js';
import { FieldIcon } from '../fields/field-icon.js';
import { CollectionIcon } from './collection-icon.js';
import { cardsOf, layoutCards, manyText, pathOf, type Card, type Layout, type Line } from './diagram-layout.js';
import classes from './overview.module.css';

type Shown = 'plain' | 'hot' | 'dim';
type CardNode = Node<{ card: Card; state: Shown; onOpen: () => void }, 'card'>;
type LineEdge = Edge<{ line: Line; state: Shown }, 'line'>;

function CollectionCard({ data }: NodeProps<CardNode>) {
  const { card, state, onOpen } = data;
  const { collection, fields, more } = card;
  return (
    <div
      className={classes.node}
      style={{ width: card.width, height: card.height }}
      data-hot={state === 'hot' || undefined}
      data-dim={state === 'dim' || undefined}
    >
      <Handle type="target" position={Position.Left} className={classes.handle} isConnectable={false} />
      <Handle type="source" position={Position.Right} className={classes.handle} isConnectable={false} />
      <a href={`#/collections/${collection.name}`} className={classes.nodeHead} draggable={false} onClick={onOpen}>
        <CollectionIcon type={collection.type} size={15} />
        {collection.name}
      </a>
      {fields.map((field) => (
        <div key={field.id} className={classes.nodeField}>
          <FieldIcon type={field.type} name={field.name} size={13} />
          <span>{field.name}</span>
          <span className={classes.nodeType}>{field.type === 'relation' ? manyText(field) : field.type}</span>
        </div>
      ))}
      {more ? (
        <div className={classes.nodeField}>
          {more} {fields.length ? 'other ' : ''}
          {more === 1 ? 'field' : 'fields'}
        </div>
      ) : null}
    </div>
  );
}

const STROKES: Readonly<Record<Shown, object>> = {
  plain: { stroke: 'var(--line-strong)', strokeWidth: 1.2 },
  hot: { stroke: 'var(--accent)', strokeWidth: 2 },
  dim: { stroke: 'var(--line-strong)', strokeWidth: 1.2, opacity: 0.2 },
};

function RelationLine({ data, markerEnd }: EdgeProps<LineEdge>) {
  return <BaseEdge path={pathOf(data!.line.points)} markerEnd={markerEnd} style={STROKES[data!.state]} />;
}

const NODE_TYPES = { card: CollectionCard };
const EDGE_TYPES = { line: RelationLine };
const FIT = { padding: 0.08, maxZoom: 1 };

interface DiagramProps {
  readonly system: boolean;
  /** A collection is opened by the link that it is; what lies over the page has to go. */
  readonly onOpen: () => void;
}

const elk = new ELK();

function useLayout(collections: readonly CollectionModel[], all: boolean | undefined) {
  const [layout, setLayout] = useState<Layout>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    let isWanted = true;
    const place = async () => {
      const placed = await layoutCards(elk, cardsOf(collections, all));
      if (isWanted) setLayout(placed);
    };
    place().catch((failure: unknown) => isWanted && setError(failure));
    return () => {
      isWanted = false;
    };
  }, [collections, all]);
  return { layout, error };
}

function Flow({ system, onOpen }: DiagramProps) {
  const { data = [] } = useCollections();
  const scheme = useComputedColorScheme('light');
  const { fitView, setCenter, getZoom } = useReactFlow();
  const [hovered, setHovered] = useState<string | null>(null);
  const [all, setAll] = useState<boolean>();
  const collections = useMemo(() => data.filter((each) => system || !each.system), [data, system]);
  const { layout, error } = useLayout(collections, all);
  const related = useMemo(() => {
    if (!hovered || !layout) return null;
    const ends = layout.lines.filter(({ source, target }) => source === hovered || target === hovered);
    return new Set([hovered, ...ends.flatMap(({ source, target }) => [source, target])]);
  }, [hovered, layout]);
  const nodes = useMemo(
    () =>
      layout?.cards.map((card): CardNode => ({
        id: card.collection.id,
        type: 'card',
        position: { x: card.x, y: card.y },
        width: card.width,
        height: card.height,
        data: {
          card,
          onOpen,
          state: related === null ? 'plain' : related.has(card.collection.id) ? 'hot' : 'dim',
        },
      })) ?? [],
    [layout, related, onOpen],
  );
  const names = useMemo(() => new Map(data.map(({ id, name }) => [id, name])), [data]);
  const edges =
    layout?.lines.map((line): LineEdge => {
      const isHot = line.source === hovered || line.target === hovered;
      return {
        id: line.id,
        type: 'line',
        source: line.source,
        target: line.target,
        ariaLabel: `${line.field.name} of ${names.get(line.source)} points to ${names.get(line.target)}`,
        zIndex: isHot ? 1 : 0,
        data: { line, state: related === null ? 'plain' : isHot ? 'hot' : 'dim' },
      };
    }) ?? [];
  useEffect(() => {
    const reset = (event: KeyboardEvent) => {
      if (event.key !== '0' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void fitView(FIT);
    };
    window.addEventListener('keydown', reset);
    return () => window.removeEventListener('keydown', reset);
  }, [fitView]);
  // A phone that is turned has another place for it.
  const { width } = useViewportSize();
  useEffect(() => {
    const timer = setTimeout(() => void fitView(FIT), 50);
    return () => clearTimeout(timer);
  }, [fitView, layout, width]);
  if (error) return <FailedState error={error} />;
  if (!layout) return <LoadingLines />;
  const hides = layout.cards.some(({ more }) => more > 0);
  return (
    <ReactFlow<CardNode, LineEdge>
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      edgeTypes={EDGE_TYPES}
      colorMode={scheme}
      minZoom={0.4}
      maxZoom={2}
      fitView
      fitViewOptions={FIT}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      onNodeMouseEnter={(_event, node) => setHovered(node.id)}
      onNodeMouseLeave={() => setHovered(null)}
      // What has the focus is in sight, and shows what it is related to.
      onFocus={({ target }) => {
        const id = target.matches(':focus-visible') && target.closest<HTMLElement>('.react-flow__node')?.dataset.id;
        const card = layout.cards.find((each) => each.collection.id === id);
        if (!card) return;
        setHovered(card.collection.id);
        void setCenter(card.x + card.width / 2, card.y + card.height / 2, { zoom: getZoom() });
      }}
      onBlur={() => setHovered(null)}
      proOptions={{ hideAttribution: true }}
    >
      <Background gap={22} color="var(--line)" />
      <Controls showInteractive={false} />
      {hides || all ? (
        <Panel position="top-right">
          <Button size="xs" variant="default" onClick={() => setAll(hides ? true : undefined)}>
            {hides ? 'Show all fields' : 'Show relations only'}
          </Button>
        </Panel>
      ) : null}
    </ReactFlow>
  );
}

/**
 * Collections, their fields and relations as a diagram: drag to pan, wheel to zoom, Ctrl/⌘+0 to reset, a click opens.
 */
export function Diagram(props: DiagramProps) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}
