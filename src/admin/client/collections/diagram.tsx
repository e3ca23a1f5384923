import '@xyflow/react/dist/style.css';
import { useComputedColorScheme } from '@mantine/core';
import { useViewportSize } from '@mantine/hooks';
import {
  Background,
  Controls,
  Handle,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Edge,
  type Node,
  type NodeProps,
} from '@xyflow/react';
import { useEffect, useMemo, useState } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import { FieldIcon } from '../fields/field-icon.js';
import { CollectionIcon } from './collection-icon.js';
import { layoutCollections } from './diagram-layout.js';
import classes from './overview.module.css';

type CollectionNode = Node<{ collection: CollectionModel; state: 'plain' | 'hot' | 'dim' }, 'collection'>;

function CollectionCard({ data }: NodeProps<CollectionNode>) {
  const { collection, state } = data;
  return (
    <div className={classes.node} data-hot={state === 'hot' || undefined} data-dim={state === 'dim' || undefined}>
      <div className={classes.nodeHead}>
        <Handle type="target" position={Position.Left} className={classes.handle} isConnectable={false} />
        <CollectionIcon type={collection.type} size={15} />
        <span className="truncate" title={collection.name}>
          {collection.name}
        </span>
      </div>
      {collection.fields.map((field) => (
        <div key={field.id} className={classes.nodeField}>
          <FieldIcon type={field.type} name={field.name} size={13} />
          <span className="truncate">{field.name}</span>
          <span className={classes.nodeType}>{field.type}</span>
          {field.type === 'relation' ? (
            <Handle
              id={field.id}
              type="source"
              position={Position.Right}
              className={classes.handle}
              isConnectable={false}
            />
          ) : null}
        </div>
      ))}
    </div>
  );
}

interface DiagramProps {
  readonly system: boolean;
  readonly onOpen: (collection: CollectionModel) => void;
}

const NODE_TYPES = { collection: CollectionCard };

function Flow({ system, onOpen }: DiagramProps) {
  const { data: all = [] } = useCollections();
  const scheme = useComputedColorScheme('light');
  const { fitView } = useReactFlow();
  const [hovered, setHovered] = useState<string | null>(null);
  const collections = useMemo(() => all.filter((each) => system || !each.system), [all, system]);
  const places = useMemo(() => layoutCollections(collections), [collections]);
  const relations = useMemo(
    () =>
      collections.flatMap((each) =>
        each.fields
          .filter((field) => field.type === 'relation' && collections.some((other) => other.id === field.collectionId))
          .map((field) => ({
            id: `${each.id}.${field.id}`,
            source: each.id,
            sourceHandle: field.id,
            target: field.collectionId as string,
            name: field.name,
          })),
      ),
    [collections],
  );
  const related = useMemo(() => {
    if (!hovered) return null;
    const ids = new Set([hovered]);
    for (const each of relations) {
      if (each.source === hovered) ids.add(each.target);
      if (each.target === hovered) ids.add(each.source);
    }
    return ids;
  }, [hovered, relations]);
  const nodes: CollectionNode[] = collections.map((collection) => ({
    id: collection.id,
    type: 'collection',
    position: places.get(collection.id) ?? { x: 0, y: 0 },
    data: { collection, state: related === null ? 'plain' : related.has(collection.id) ? 'hot' : 'dim' },
    ariaLabel: `Collection ${collection.name}`,
  }));
  const edges: Edge[] = relations.map(({ name, ...each }) => {
    const hot = hovered !== null && (each.source === hovered || each.target === hovered);
    return {
      ...each,
      ariaLabel: `${name} points to ${collections.find((other) => other.id === each.target)?.name}`,
      animated: hot,
      style: {
        stroke: hot ? 'var(--accent)' : 'var(--line-strong)',
        strokeWidth: hot ? 2 : 1.2,
        opacity: related && !hot ? 0.2 : 1,
      },
    };
  });
  useEffect(() => {
    const reset = (event: KeyboardEvent) => {
      if (event.key !== '0' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void fitView({ padding: 0.15, maxZoom: 1 });
    };
    window.addEventListener('keydown', reset);
    return () => window.removeEventListener('keydown', reset);
  }, [fitView]);
  // A phone that is turned has another place for it.
  const { width } = useViewportSize();
  useEffect(() => {
    const timer = setTimeout(() => void fitView({ padding: 0.15, maxZoom: 1 }), 50);
    return () => clearTimeout(timer);
  }, [fitView, collections, width]);
  return (
    <ReactFlow<CollectionNode>
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      colorMode={scheme}
      minZoom={0.4}
      maxZoom={2}
      fitView
      fitViewOptions={{ padding: 0.15, maxZoom: 1 }}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      onlyRenderVisibleElements={collections.length > 60}
      onNodeClick={(_event, node) => onOpen(node.data.collection)}
      onNodeMouseEnter={(_event, node) => setHovered(node.id)}
      onNodeMouseLeave={() => setHovered(null)}
      proOptions={{ hideAttribution: true }}
    >
      <Background gap={22} color="var(--line)" />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

/** Collections, their fields and relations as a diagram: drag to pan, wheel to zoom, Ctrl/⌘+0 to reset, a click opens. */
export function Diagram(props: DiagramProps) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}
