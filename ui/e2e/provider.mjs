/**
 * An OpenID Connect provider for tests, on a free local port. Signs every user in at once, as the person in `PERSON`.
 * Prints its address, and exits with its parent process.
 */
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const { CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, PERSON } = process.env;
const person = JSON.parse(PERSON);

const server = createServer();
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [REDIRECT_URI],
      grant_types: ["authorization_code"],
      response_types: ["code"],
    },
  ],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  cookies: { keys: ["only for tests"] },
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...person }) }),
});

/** Accepts every prompt. */
async function agree(request, response) {
  const { params, session } = await provider.interactionDetails(request, response);
  const accountId = session?.accountId ?? person.email;
  const grant = new provider.Grant({ accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { login: { accountId }, consent });
}

const answer = provider.callback();
server.on("request", (request, response) => {
  if (request.url.startsWith("/interaction/")) agree(request, response).catch(() => response.writeHead(500).end());
  else answer(request, response);
});

process.stdin.resume().on("end", () => process.exit(0));
process.stdout.write(`${issuer}\n`);
