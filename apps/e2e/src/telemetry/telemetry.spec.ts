// One stack that logs, counts and traces all it can; what it tells is looked at by each of these.
import './dashboards.ts';
import './logs.ts';
import './metrics.ts';
import './traces.ts';
