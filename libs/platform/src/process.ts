// What a process needs before it knows what it serves: its settings, its log and its life, without any framework.
export {
  bytes,
  ConfigError,
  HOST_NAME,
  httpUrl,
  nameList,
  loadConfig,
  milliseconds,
  originUrl,
  redisUrl,
  seconds,
  serviceConfigSchema,
  tcpUrl,
  wholeNumber,
  wholeSeconds,
} from './config.ts';
export { splitAtCommas } from './comma-separated.ts';
export { createLogger, type Logger } from './logging.ts';
export { connectPatiently, loadMigrations, migrateSchemas, type Migrations } from './migrate.ts';
export { runScript, runService, type Stoppable } from './run-service.ts';
export { sealKey, sealKeys } from './sealing.ts';
export { migrationShape } from './service-role.ts';
export { serviceSecretsShape } from './service-secrets.ts';
export { VERSION } from './version.ts';
export { requireWritable, syncDirectory } from './writable-directory.ts';
