/** The protocol's own types, from the SDK, as types only: none of its code is on the path of a message (docs/decisions/0002). */
export type {
  AgentCapabilities,
  AvailableCommand,
  CancelNotification,
  ClientCapabilities,
  ContentBlock,
  Implementation,
  InitializeRequest,
  InitializeResponse,
  LoadSessionRequest,
  McpServer,
  NewSessionRequest,
  NewSessionResponse,
  PermissionOption,
  PermissionOptionKind,
  PlanEntry,
  PromptRequest,
  PromptResponse,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionId,
  SessionNotification,
  SessionUpdate,
  StopReason,
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind,
} from '@agentclientprotocol/sdk';

import type { SessionUpdate } from '@agentclientprotocol/sdk';

/** The version that we speak (facts: v2 is a draft). */
export const protocolVersion = 1;

/**
 * An update as it came: one of the known kinds, or one that this build does not know and that must not be lost (faults F020).
 * `sessionUpdate` is checked to be a string before it gets here; every other field is as hostile as the agent.
 */
export type AnyUpdate = SessionUpdate | UnknownUpdate;
export interface UnknownUpdate {
  sessionUpdate: string;
  [field: string]: unknown;
}

/** JSON-RPC and ACP error codes. */
export const ErrorCode = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  cancelled: -32800,
  authRequired: -32000,
  notFound: -32002,
} as const;
