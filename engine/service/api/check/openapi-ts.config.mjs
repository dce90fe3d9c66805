// A client with types, and with Zod schemas that each answer is held to as it comes.
export default {
  input: 'openapi.json',
  output: 'client',
  plugins: [
    '@hey-api/client-fetch',
    '@hey-api/typescript',
    'zod',
    { name: '@hey-api/sdk', validator: { request: false, response: 'zod' } },
  ],
};
