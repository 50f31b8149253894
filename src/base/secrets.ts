/** Variables that are an agent's own secrets: neither its commands nor its hooks get them (design, section 6). */
export const agentSecret = /^(AGENT_API_KEY|MM_SECRET_.*)$/i;
