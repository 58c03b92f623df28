// Lists what an image holds of packages, in node_modules or in the bundle of its service, in SPDX 2.3: by the list that
// docker/trim-packages.mjs left, node docker/write-sbom.mjs <workspace>
// Those of the base image are listed in its /var/lib/dpkg/status.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const [workspace = ''] = process.argv.slice(2);
const installed = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8'));
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

const MODULES = 'node_modules/';
const idOf = (path) => `SPDXRef-Package-${path.replace(/[^A-Za-z0-9.-]+/g, '-')}`;
const nameOf = (path) => path.slice(path.lastIndexOf(MODULES) + MODULES.length);
const toHex = (integrity) => {
  const [algorithm, digest] = integrity.split('-', 2);
  return { algorithm: algorithm.toUpperCase(), checksumValue: Buffer.from(digest, 'base64').toString('hex') };
};

const packages = Object.entries(installed.packages)
  .filter(([path, { link }]) => path.includes(MODULES) && !link)
  .map(([path, { version: of, resolved, integrity, license }]) => ({
    SPDXID: idOf(path),
    name: nameOf(path),
    versionInfo: of,
    downloadLocation: resolved ?? 'NOASSERTION',
    filesAnalyzed: false,
    licenseDeclared: license ?? 'NOASSERTION',
    ...(integrity && { checksums: [toHex(integrity)] }),
    externalRefs: [
      {
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: `pkg:npm/${nameOf(path).replace('@', '%40')}@${of}`,
      },
    ],
  }));

const service = {
  SPDXID: 'SPDXRef-Service',
  name: workspace,
  versionInfo: version,
  downloadLocation: 'NOASSERTION',
  filesAnalyzed: false,
};
// The same packages are the same document.
const digest = createHash('sha256').update(JSON.stringify(packages)).digest('hex');
const document = {
  spdxVersion: 'SPDX-2.3',
  dataLicense: 'CC0-1.0',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: `${workspace}@${version}`,
  documentNamespace: `https://tollgate.example/sbom/${workspace}/${version}/${digest}`,
  creationInfo: { created: new Date().toISOString(), creators: ['Tool: docker/write-sbom.mjs'] },
  packages: [service, ...packages],
  relationships: [
    { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: service.SPDXID },
    ...packages.map(({ SPDXID }) => ({
      spdxElementId: service.SPDXID,
      relationshipType: 'CONTAINS',
      relatedSpdxElement: SPDXID,
    })),
  ],
};
writeFileSync('sbom.spdx.json', `${JSON.stringify(document, null, 2)}\n`);
