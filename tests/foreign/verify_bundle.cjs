// Verify a Sigstore bundle by one public key with @sigstore/verify: no log, no time stamp. Prints "verified" or the code.
const [modules, bundleFile, keyFile] = process.argv.slice(2);
const fs = require('fs');
const path = require('path');
const crypto = require('crypto');
const { bundleFromJSON } = require(path.join(modules, '@sigstore/bundle'));
const { Verifier, toSignedEntity, toTrustMaterial } = require(path.join(modules, '@sigstore/verify'));

const key = { publicKey: crypto.createPublicKey(fs.readFileSync(keyFile)), validFor: () => true };
const root = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
const trust = toTrustMaterial(root, () => key);
const verifier = new Verifier(trust, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0, tsaThreshold: 0 });
try {
  verifier.verify(toSignedEntity(bundleFromJSON(JSON.parse(fs.readFileSync(bundleFile)))));
  console.log('verified');
} catch (error) {
  console.log(error.code || error.name || String(error));
}
