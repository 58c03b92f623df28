// What a process needs before it knows what it serves: its settings, its log and its life, without any framework.
export { ConfigError, httpUrl, loadConfig, redisUrl, serviceConfigSchema, tcpUrl } from './config.ts';
export { createLogger, type Logger } from './logging.ts';
export { loadMigrations, migrateSchemas, type Migrations } from './migrate.ts';
export { runService, type Stoppable } from './run-service.ts';
export { sealKey, sealKeys } from './sealing.ts';
export { migrationShape } from './service-role.ts';
export { serviceSecretsShape } from './service-secrets.ts';
