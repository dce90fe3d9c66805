// Verifies the token of a Web Push request and decrypts its body, as a push service and a browser do.
import { createECDH } from "node:crypto";
import { readFileSync } from "node:fs";
import ece from "http_ece";
import { importJWK, jwtVerify } from "jose";

const { Authorization, Audience, Key, Auth, Body } = JSON.parse(readFileSync(0));
const [, token, key] = Authorization.match(/^vapid t=([^,]+), *k=([^,]+)$/);
const point = Buffer.from(key, "base64url");
const jwk = { kty: "EC", crv: "P-256", x: point.subarray(1, 33).toString("base64url"), y: point.subarray(33).toString("base64url") };
const { payload } = await jwtVerify(token, await importJWK(jwk, "ES256"), { audience: Audience, requiredClaims: ["exp"], subject: "mailto:push@example.com" });
if (payload.exp > Date.now() / 1000 + 24 * 3600) throw new Error("exp is more than a day ahead");
const privateKey = createECDH("prime256v1");
privateKey.setPrivateKey(Key, "base64url");
process.stdout.write(ece.decrypt(Buffer.from(Body, "base64"), { version: "aes128gcm", privateKey, authSecret: Auth }));
