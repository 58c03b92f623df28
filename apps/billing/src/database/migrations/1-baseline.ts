import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Everything that billing had when its migrations were frozen. Later changes are migrations of their own. */
export class Baseline1764000200000 implements MigrationInterface {
  name = 'Baseline1764000200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      --
      -- Accounts, their members and sessions
      --

      CREATE TABLE billing.account (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
        time_zone text NOT NULL DEFAULT 'UTC',
        mode text NOT NULL DEFAULT 'postpaid' CHECK (mode IN ('prepaid', 'postpaid')),
        -- How far below zero a postpaid account may go; null is no limit.
        credit_limit_pico numeric(38, 0) CHECK (credit_limit_pico >= 0),
        -- The end of its last closed period: nothing is booked before it any more.
        closed_until timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        requests_per_minute int CHECK (requests_per_minute > 0),
        tokens_per_minute int CHECK (tokens_per_minute > 0),
        concurrent_requests int CHECK (concurrent_requests > 0),
        -- Null is what the deployment allows to every account.
        allowed_groups text[] CHECK (cardinality(allowed_groups) > 0),
        max_keys int CHECK (max_keys >= 0),
        CHECK (mode = 'postpaid' OR credit_limit_pico IS NULL)
      );

      CREATE TABLE billing.app_user (
        id uuid PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES billing.account,
        email text NOT NULL,
        -- Null for who signs in elsewhere only.
        password_hash text,
        role text NOT NULL CHECK (role IN ('owner', 'admin', 'finance', 'member')),
        created_at timestamptz NOT NULL DEFAULT now(),
        name text NOT NULL DEFAULT '',
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
        -- Who they are at the provider that they sign in with.
        oidc_issuer text,
        oidc_subject text,
        CHECK ((oidc_issuer IS NULL) = (oidc_subject IS NULL))
      );
      CREATE UNIQUE INDEX app_user_email ON billing.app_user (lower(email));
      CREATE UNIQUE INDEX app_user_oidc ON billing.app_user (oidc_issuer, oidc_subject);

      CREATE TABLE billing.session (
        id_hash text PRIMARY KEY,
        user_id uuid REFERENCES billing.app_user ON DELETE CASCADE,
        data jsonb NOT NULL,
        expires_at timestamptz NOT NULL,
        -- What the list of a user's sessions names it by.
        id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        created_at timestamptz NOT NULL DEFAULT now(),
        last_seen_at timestamptz NOT NULL DEFAULT now(),
        user_agent text NOT NULL DEFAULT '',
        address text NOT NULL DEFAULT ''
      );
      CREATE INDEX session_expiry ON billing.session (expires_at);
      CREATE INDEX session_of_user ON billing.session (user_id, last_seen_at DESC);

      -- The secret that a user's authenticator app and we share, sealed.
      CREATE TABLE billing.totp (
        user_id uuid PRIMARY KEY REFERENCES billing.app_user ON DELETE CASCADE,
        secret text NOT NULL CHECK (secret LIKE 'sealed.v1.%'),
        -- The time step of the last code that was used: neither that code nor an earlier one is taken again.
        last_step bigint NOT NULL,
        -- Tries since a code was right, each counted before it is looked at.
        failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
        failed_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz
      );

      CREATE TABLE billing.passkey (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES billing.app_user ON DELETE CASCADE,
        credential_id text NOT NULL UNIQUE,
        public_key bytea NOT NULL,
        -- As the device counts its uses; 0 of those that do not count.
        counter bigint NOT NULL CHECK (counter >= 0),
        transports text[] NOT NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz
      );
      CREATE INDEX passkey_of_user ON billing.passkey (user_id, created_at);

      CREATE TABLE billing.recovery_code (
        user_id uuid NOT NULL REFERENCES billing.app_user ON DELETE CASCADE,
        code_hash text NOT NULL CHECK (code_hash ~ '^[0-9a-f]{64}$'),
        used_at timestamptz,
        PRIMARY KEY (user_id, code_hash)
      );

      -- Links that work once: to join an account, or to set a new password. Only the hash of the token is kept.
      CREATE TABLE billing.one_time_link (
        id uuid PRIMARY KEY,
        token_hash text NOT NULL UNIQUE CHECK (token_hash ~ '^[0-9a-f]{64}$'),
        account_id uuid NOT NULL REFERENCES billing.account,
        email text NOT NULL,
        -- Of whom they invite.
        role text CHECK (role IN ('owner', 'admin', 'finance', 'member')),
        -- Whose password they set.
        user_id uuid REFERENCES billing.app_user ON DELETE CASCADE,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        revoked_at timestamptz,
        -- A link whose maker is gone, or was never known, works no more.
        created_by_id uuid CONSTRAINT one_time_link_maker REFERENCES billing.app_user ON DELETE SET NULL,
        CHECK ((role IS NULL) <> (user_id IS NULL)),
        CHECK (used_at IS NULL OR revoked_at IS NULL)
      );
      CREATE INDEX one_time_link_of_account ON billing.one_time_link (account_id, created_at DESC);

      -- Who shows one of these makes the first owner; there are none once there is one.
      CREATE TABLE billing.setup_token (
        token_hash text PRIMARY KEY CHECK (token_hash ~ '^[0-9a-f]{64}$'),
        made_at timestamptz NOT NULL DEFAULT now()
      );

      -- Who did what, here and in pricing. It is never changed.
      CREATE TABLE billing.audit_log (
        id uuid PRIMARY KEY,
        at timestamptz NOT NULL DEFAULT now(),
        -- The service whose action it was.
        source text NOT NULL CHECK (source IN ('billing', 'pricing')),
        -- The source's own number of it, so that what is reported twice is here once.
        source_number bigint,
        actor text NOT NULL,
        actor_id uuid,
        role text,
        action text NOT NULL,
        object text,
        account_id uuid,
        reason text,
        before jsonb,
        after jsonb,
        request_id text,
        address text,
        UNIQUE (source, source_number)
      );
      CREATE INDEX audit_log_newest ON billing.audit_log (at DESC, id DESC);
      CREATE INDEX audit_log_of_account ON billing.audit_log (account_id, at DESC, id DESC);
      CREATE INDEX audit_log_of_actor ON billing.audit_log (lower(actor), at DESC, id DESC);
      CREATE INDEX audit_log_of_object ON billing.audit_log (object, at DESC, id DESC);

      CREATE FUNCTION billing.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'restrict_violation';
      END $$;
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON billing.audit_log
        FOR EACH ROW EXECUTE FUNCTION billing.refuse_audit_change();
      CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON billing.audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_audit_change();

      --
      -- API keys
      --

      CREATE TABLE billing.api_key (
        id uuid PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES billing.account,
        name text NOT NULL,
        key_hash text NOT NULL UNIQUE CHECK (key_hash ~ '^[0-9a-f]{64}$'),
        masked text NOT NULL,
        group_name text NOT NULL,
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
        expires_at timestamptz,
        budget_pico numeric(38, 0) CHECK (budget_pico >= 0),
        budget_daily_pico numeric(38, 0) CHECK (budget_daily_pico >= 0),
        budget_monthly_pico numeric(38, 0) CHECK (budget_monthly_pico >= 0),
        spent_pico numeric(38, 0) NOT NULL DEFAULT 0,
        requests_per_minute int CHECK (requests_per_minute > 0),
        tokens_per_minute int CHECK (tokens_per_minute > 0),
        strict boolean NOT NULL DEFAULT false,
        revision int NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        deleted_at timestamptz,
        concurrent_requests int CHECK (concurrent_requests > 0),
        -- Null is no restriction; an empty list would be a key that is of no use.
        models text[] CHECK (cardinality(models) > 0),
        allowed_addresses text[] CHECK (cardinality(allowed_addresses) > 0),
        -- It is deleted by itself once it has expired.
        temporary boolean NOT NULL DEFAULT false,
        -- By field: the value that an operator set, who it was and when.
        operator_fields jsonb NOT NULL DEFAULT '{}'
      );
      CREATE INDEX api_key_of_account ON billing.api_key (account_id, created_at DESC);

      -- Secrets that keys were rotated from: each works until its time is over.
      CREATE TABLE billing.former_secret (
        key_hash text PRIMARY KEY CHECK (key_hash ~ '^[0-9a-f]{64}$'),
        key_id uuid NOT NULL REFERENCES billing.api_key ON DELETE CASCADE,
        masked text NOT NULL,
        works_until timestamptz NOT NULL,
        rotated_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX former_secret_of_key ON billing.former_secret (key_id, rotated_at DESC);

      -- What a key spent in a day or a month of its account's time zone.
      CREATE TABLE billing.key_spend (
        key_id uuid NOT NULL,
        span text NOT NULL CHECK (span IN ('day', 'month')),
        starts_on date NOT NULL,
        spent_pico numeric(38, 0) NOT NULL,
        PRIMARY KEY (key_id, span, starts_on)
      );

      -- Keys whose change has not been told to the gateways yet.
      CREATE TABLE billing.key_change_outbox (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key_hash text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      --
      -- The ledger: numbered transactions of entries that sum to zero, never changed
      --

      -- One row. Whoever appends holds it until the commit, so that numbers have no gaps and rise as commits do.
      CREATE TABLE billing.journal (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        last_number bigint NOT NULL
      );
      INSERT INTO billing.journal (last_number) VALUES (0);

      CREATE TABLE billing.ledger_transaction (
        number bigint PRIMARY KEY,
        kind text NOT NULL CONSTRAINT ledger_transaction_kind CHECK (kind IN ('usage', 'lost_attempt', 'payment',
          'grant', 'redemption', 'refund', 'payout', 'correction', 'adjustment', 'write_off')),
        account_id uuid NOT NULL,
        -- What makes a transaction happen once: of usage the request, of what people do the key they chose.
        request_id text UNIQUE,
        idempotency_key text UNIQUE,
        -- SHA-256 of what was asked with that key: it answers the same again, and refuses anything else.
        asked_digest text,
        occurred_at timestamptz NOT NULL,
        -- The moment it counts at: when it occurred, or the beginning of the open period if that one is closed.
        booked_at timestamptz NOT NULL,
        posted_at timestamptz NOT NULL DEFAULT now(),
        actor text,
        reason text,
        -- The transaction that this one takes back, in whole or in part.
        corrects bigint REFERENCES billing.ledger_transaction,
        CONSTRAINT ledger_transaction_cause CHECK (CASE WHEN kind IN ('usage', 'lost_attempt')
          THEN request_id IS NOT NULL AND idempotency_key IS NULL
          ELSE idempotency_key IS NOT NULL AND actor IS NOT NULL AND reason IS NOT NULL END),
        CONSTRAINT ledger_transaction_check1 CHECK ((kind IN ('refund', 'correction')) = (corrects IS NOT NULL))
      );
      CREATE INDEX ledger_transaction_of_account ON billing.ledger_transaction (account_id, booked_at, number);
      CREATE INDEX ledger_correction ON billing.ledger_transaction (corrects) WHERE corrects IS NOT NULL;
      CREATE UNIQUE INDEX ledger_corrected_once ON billing.ledger_transaction (corrects) WHERE kind = 'correction';
      CREATE INDEX ledger_made_by_people ON billing.ledger_transaction (account_id, number) WHERE kind <> 'usage';

      CREATE TABLE billing.ledger_entry (
        number bigint NOT NULL,
        ledger_account text NOT NULL,
        amount_pico numeric(38, 0) NOT NULL CHECK (amount_pico <> 0),
        PRIMARY KEY (number, ledger_account)
      );
      CREATE INDEX ledger_entry_of_account ON billing.ledger_entry (ledger_account, number);

      -- The sum of a customer's entries, kept beside them.
      CREATE TABLE billing.account_balance (
        account_id uuid PRIMARY KEY,
        balance_pico numeric(38, 0) NOT NULL,
        last_number bigint NOT NULL
      );

      -- One row: everything up to this number was found right.
      CREATE TABLE billing.ledger_audit (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        number bigint NOT NULL,
        audited_at timestamptz
      );
      INSERT INTO billing.ledger_audit (number) VALUES (0);
      -- The balances as of that number.
      CREATE TABLE billing.audited_balance (
        account_id text PRIMARY KEY,
        balance_pico numeric(38, 0) NOT NULL
      );

      CREATE FUNCTION billing.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the ledger is append-only: correct it with a new transaction' USING ERRCODE = 'restrict_violation';
      END $$;
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON billing.ledger_transaction
        FOR EACH ROW EXECUTE FUNCTION billing.refuse_change();
      CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON billing.ledger_transaction
        FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON billing.ledger_entry
        FOR EACH ROW EXECUTE FUNCTION billing.refuse_change();
      CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON billing.ledger_entry
        FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();

      -- Checked a statement at a time: a foreign key would look up the transaction of every single entry.
      -- Its plans are kept from when the tables were small: left to choose, they would read all of the ledger for every
      -- batch. Of a subquery in a condition, and with no scan of a whole table, only the look into an index is left.
      CREATE FUNCTION billing.check_entries() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
      DECLARE
        off bigint;
      BEGIN
        SELECT of.number INTO off FROM (SELECT DISTINCT number FROM inserted) AS of
          WHERE (SELECT sum(e.amount_pico) FROM billing.ledger_entry e WHERE e.number = of.number) <> 0 LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION 'ledger transaction % does not sum to zero', off USING ERRCODE = 'check_violation';
        END IF;
        SELECT of.number INTO off FROM (SELECT DISTINCT number FROM inserted) AS of
          WHERE (SELECT t.number FROM billing.ledger_transaction t WHERE t.number = of.number) IS NULL LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION 'there is no ledger transaction %', off USING ERRCODE = 'foreign_key_violation';
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER entries_are_sound AFTER INSERT ON billing.ledger_entry
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION billing.check_entries();

      --
      -- Credit
      --

      -- Taken before credit is read: of two readings the one with the higher number has seen more.
      CREATE SEQUENCE billing.credit_version;

      -- Credit that was held for a request of which no usage came: its gateway died with it.
      CREATE TABLE billing.reservation_lost (
        request_id text PRIMARY KEY,
        account_id uuid NOT NULL,
        key_id uuid NOT NULL,
        gateway text NOT NULL,
        amount_pico numeric(38, 0) NOT NULL CHECK (amount_pico >= 0),
        -- The request had ended, and its cost was known to its gateway.
        settled boolean NOT NULL,
        reserved_at timestamptz NOT NULL,
        released_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX reservation_lost_of_account ON billing.reservation_lost (account_id, released_at);

      CREATE TABLE billing.redemption_batch (
        id uuid PRIMARY KEY,
        amount_pico numeric(38, 0) NOT NULL CHECK (amount_pico > 0),
        expires_at timestamptz,
        note text NOT NULL,
        idempotency_key text NOT NULL UNIQUE,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      -- Only the hashes of the codes are kept.
      CREATE TABLE billing.redemption_code (
        id uuid PRIMARY KEY,
        batch_id uuid NOT NULL REFERENCES billing.redemption_batch,
        code_hash text NOT NULL UNIQUE CHECK (code_hash ~ '^[0-9a-f]{64}$'),
        ending text NOT NULL,
        revoked_at timestamptz,
        revoked_by text,
        revoked_why text,
        redeemed_at timestamptz,
        redeemed_by text,
        -- The ledger transaction that gave the credit.
        number bigint,
        CHECK (redeemed_at IS NULL OR revoked_at IS NULL),
        CHECK ((redeemed_at IS NULL) = (number IS NULL))
      );
      CREATE INDEX redemption_code_of_batch ON billing.redemption_code (batch_id, id);

      --
      -- The usage log, a partition a month
      --

      -- That a request is in it once is the ledger's guarantee.
      CREATE TABLE billing.usage (
        request_id text NOT NULL,
        -- Of the ledger transaction that it is posted with.
        number bigint NOT NULL,
        occurred_at timestamptz NOT NULL,
        booked_at timestamptz NOT NULL,
        posted_at timestamptz NOT NULL DEFAULT now(),
        account_id uuid NOT NULL,
        key_id uuid NOT NULL,
        group_name text NOT NULL,
        model text NOT NULL,
        vendor text NOT NULL,
        pool text NOT NULL,
        upstream text NOT NULL,
        upstream_model text NOT NULL,
        protocol text NOT NULL,
        stream boolean NOT NULL,
        snapshot_version int NOT NULL,
        group_ratio text NOT NULL,
        discount_ratio text NOT NULL,
        tokens_input bigint NOT NULL DEFAULT 0 CHECK (tokens_input >= 0),
        tokens_input_audio bigint NOT NULL DEFAULT 0 CHECK (tokens_input_audio >= 0),
        tokens_input_image bigint NOT NULL DEFAULT 0 CHECK (tokens_input_image >= 0),
        tokens_cache_read bigint NOT NULL DEFAULT 0 CHECK (tokens_cache_read >= 0),
        tokens_cache_write bigint NOT NULL DEFAULT 0 CHECK (tokens_cache_write >= 0),
        tokens_cache_write_1h bigint NOT NULL DEFAULT 0 CHECK (tokens_cache_write_1h >= 0),
        tokens_output bigint NOT NULL DEFAULT 0 CHECK (tokens_output >= 0),
        tokens_output_reasoning bigint NOT NULL DEFAULT 0 CHECK (tokens_output_reasoning >= 0),
        tokens_output_audio bigint NOT NULL DEFAULT 0 CHECK (tokens_output_audio >= 0),
        tokens_output_image bigint NOT NULL DEFAULT 0 CHECK (tokens_output_image >= 0),
        cost_pico numeric(38, 0) NOT NULL CHECK (cost_pico >= 0),
        -- What the upstream charges us; null where the catalogue does not say.
        upstream_cost_pico numeric(38, 0) CHECK (upstream_cost_pico >= 0),
        usage_source text NOT NULL,
        outcome text NOT NULL,
        http_status int NOT NULL,
        latency_ms int NOT NULL,
        first_byte_ms int NOT NULL,
        -- When it occurred by the clock of its gateway, where that cannot be. It is text, because no type of PostgreSQL
        -- holds every time that a wrong clock may show.
        claimed_at text,
        PRIMARY KEY (request_id, occurred_at)
      ) PARTITION BY RANGE (occurred_at);
      CREATE INDEX usage_of_account ON billing.usage (account_id, occurred_at DESC, request_id DESC);
      -- The model stands last, to be told apart within the index when a key's use of one model is asked for.
      CREATE INDEX usage_of_key ON billing.usage (key_id, occurred_at DESC, request_id DESC, model);
      CREATE INDEX usage_of_model ON billing.usage (account_id, model, occurred_at DESC, request_id DESC);
      CREATE INDEX usage_booked ON billing.usage (account_id, booked_at);
      -- Rows lie in the order in which they were booked but for a few: a summary of blocks finds a span of time.
      CREATE INDEX usage_booked_at ON billing.usage USING brin (booked_at) WITH (autosummarize = on, pages_per_range = 32);
      CREATE INDEX usage_number ON billing.usage (number);
      -- What belongs to no month that there is: late for one that was taken out, or far ahead.
      CREATE TABLE billing.usage_default PARTITION OF billing.usage DEFAULT;

      -- Months that were taken out of the log; their tables are in billing_archive.
      CREATE SCHEMA IF NOT EXISTS billing_archive;
      CREATE TABLE billing.usage_detached (
        month date PRIMARY KEY CHECK (month = date_trunc('month', month)),
        rows bigint NOT NULL,
        actor text NOT NULL,
        reason text NOT NULL,
        detached_at timestamptz NOT NULL DEFAULT now()
      );

      -- The service's role owns nothing. What it does to the shape of tables are functions that run with the rights of
      -- the role that migrates.
      CREATE FUNCTION billing.create_usage_partition(month date) RETURNS void
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      DECLARE
        name text := 'usage_' || to_char(month, 'YYYY_MM');
        starts timestamptz := month::timestamp AT TIME ZONE 'UTC';
        ends timestamptz := (month + interval '1 month') AT TIME ZONE 'UTC';
      BEGIN
        IF extract(day FROM month) <> 1 THEN
          RAISE EXCEPTION '% is not the first of a month', month;
        END IF;
        -- Nothing may fall into the default partition between the move and the attachment.
        LOCK TABLE billing.usage_default IN ACCESS EXCLUSIVE MODE;
        EXECUTE format('CREATE TABLE billing.%I (LIKE billing.usage INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
        EXECUTE format(
          'WITH moved AS (DELETE FROM billing.usage_default WHERE occurred_at >= $1 AND occurred_at < $2 RETURNING *)
           INSERT INTO billing.%I SELECT * FROM moved', name) USING starts, ends;
        EXECUTE format(
          'ALTER TABLE billing.usage ATTACH PARTITION billing.%I FOR VALUES FROM (%L) TO (%L)', name, starts, ends);
      END $$;

      -- The rows of a month that was taken out stay in a table of billing_archive.
      CREATE FUNCTION billing.detach_usage_partition(month date) RETURNS void
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      DECLARE
        name text := 'usage_' || to_char(month, 'YYYY_MM');
      BEGIN
        EXECUTE format('ALTER TABLE billing.usage DETACH PARTITION billing.%I', name);
        EXECUTE format('ALTER TABLE billing.%I SET SCHEMA billing_archive', name);
      END $$;

      REVOKE EXECUTE ON FUNCTION billing.create_usage_partition(date), billing.detach_usage_partition(date) FROM PUBLIC;

      -- The months around now. The service makes the following ones in time.
      SELECT billing.create_usage_partition(
        (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead))::date)
      FROM generate_series(-1, 3) AS ahead;

      -- Usage that is not booked: what waits is tried again by itself, what was rejected when somebody asks for it.
      CREATE TABLE billing.usage_rejected (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        rejected_at timestamptz NOT NULL DEFAULT now(),
        request_id text UNIQUE,
        reason text NOT NULL,
        event jsonb NOT NULL,
        state text NOT NULL DEFAULT 'rejected'
          CONSTRAINT usage_rejected_state CHECK (state IN ('rejected', 'waiting')),
        tries int NOT NULL DEFAULT 0,
        -- Of what waits.
        next_try_at timestamptz NOT NULL DEFAULT now()
      );

      -- Requests whose upstream reported more than they can have had: charged the bound, until a person has decided.
      CREATE TABLE billing.usage_review (
        request_id text PRIMARY KEY,
        -- The transaction that charged what the request can have had.
        number bigint NOT NULL,
        account_id uuid NOT NULL,
        occurred_at timestamptz NOT NULL,
        opened_at timestamptz NOT NULL DEFAULT now(),
        -- As it was charged, with the figures that were reported beside.
        event jsonb NOT NULL,
        reported_tokens jsonb NOT NULL,
        charged_pico numeric(38, 0) NOT NULL,
        upstream_charged_pico numeric(38, 0),
        status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'accepted', 'dismissed')),
        decided_at timestamptz,
        decided_by text,
        reason text,
        -- What was booked when it was accepted.
        decided_number bigint,
        CHECK ((status = 'open') = (decided_at IS NULL)),
        CHECK ((decided_at IS NULL) = (decided_by IS NULL)),
        CHECK (status = 'accepted' OR decided_number IS NULL)
      );
      CREATE INDEX usage_review_open ON billing.usage_review (opened_at) WHERE status = 'open';

      -- Attempts at upstreams that brought nothing and that these may bill: the operator's cost, of no customer.
      CREATE TABLE billing.lost_attempt (
        -- Of the request, with the number of the attempt behind. That it is there once is the ledger's guarantee.
        request_id text PRIMARY KEY,
        -- Of the ledger transaction that it is posted with.
        number bigint NOT NULL,
        occurred_at timestamptz NOT NULL,
        booked_at timestamptz NOT NULL,
        posted_at timestamptz NOT NULL DEFAULT now(),
        -- Whose request it was; they pay nothing for it.
        account_id uuid NOT NULL,
        key_id uuid NOT NULL,
        group_name text NOT NULL,
        model text NOT NULL,
        vendor text NOT NULL,
        pool text NOT NULL,
        upstream text NOT NULL,
        upstream_model text NOT NULL,
        protocol text NOT NULL,
        stream boolean NOT NULL,
        snapshot_version int NOT NULL,
        cause text NOT NULL,
        -- Estimates.
        tokens_input bigint NOT NULL DEFAULT 0 CHECK (tokens_input >= 0),
        tokens_input_audio bigint NOT NULL DEFAULT 0 CHECK (tokens_input_audio >= 0),
        tokens_input_image bigint NOT NULL DEFAULT 0 CHECK (tokens_input_image >= 0),
        tokens_cache_read bigint NOT NULL DEFAULT 0 CHECK (tokens_cache_read >= 0),
        tokens_cache_write bigint NOT NULL DEFAULT 0 CHECK (tokens_cache_write >= 0),
        tokens_cache_write_1h bigint NOT NULL DEFAULT 0 CHECK (tokens_cache_write_1h >= 0),
        tokens_output bigint NOT NULL DEFAULT 0 CHECK (tokens_output >= 0),
        tokens_output_reasoning bigint NOT NULL DEFAULT 0 CHECK (tokens_output_reasoning >= 0),
        tokens_output_audio bigint NOT NULL DEFAULT 0 CHECK (tokens_output_audio >= 0),
        tokens_output_image bigint NOT NULL DEFAULT 0 CHECK (tokens_output_image >= 0),
        -- Null where the catalogue does not say what the upstream charges.
        upstream_cost_pico numeric(38, 0) CHECK (upstream_cost_pico >= 0),
        latency_ms int NOT NULL
      );
      CREATE INDEX lost_attempt_number ON billing.lost_attempt (number);
      CREATE INDEX lost_attempt_booked ON billing.lost_attempt (booked_at);

      --
      -- Sums of the usage log by hour, kept by the log itself: a chart of a quarter reads these and not the log
      --

      CREATE TABLE billing.usage_hour (
        account_id uuid NOT NULL,
        -- Where an hour begins on the clocks of the account's time zone.
        hour timestamptz NOT NULL,
        key_id uuid NOT NULL,
        model text NOT NULL,
        outcome text NOT NULL,
        requests bigint NOT NULL,
        tokens_in bigint NOT NULL,
        tokens_out bigint NOT NULL,
        cost_pico numeric(38, 0) NOT NULL,
        PRIMARY KEY (account_id, hour, key_id, model, outcome)
      );

      -- The same without keys: an account with thousands of keys has few of these.
      CREATE TABLE billing.account_hour (
        account_id uuid NOT NULL,
        hour timestamptz NOT NULL,
        model text NOT NULL,
        outcome text NOT NULL,
        requests bigint NOT NULL,
        tokens_in bigint NOT NULL,
        tokens_out bigint NOT NULL,
        cost_pico numeric(38, 0) NOT NULL,
        PRIMARY KEY (account_id, hour, model, outcome)
        -- Every batch adds to the same few rows: their new versions find room beside them.
      ) WITH (fillfactor = 50);

      -- Once a statement: a batch of requests touches few hours. Rows that only move to the partition of their month
      -- come from another table, and are not added again.
      CREATE FUNCTION billing.add_usage_hours() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        WITH hours (account_id, hour, key_id, model, outcome, requests, tokens_in, tokens_out, cost_pico)
          AS MATERIALIZED (
            SELECT u.account_id, date_trunc('hour', u.occurred_at, coalesce(a.time_zone, 'UTC')) AS hour, u.key_id,
              u.model, u.outcome, count(*),
              sum(u.tokens_input + u.tokens_input_audio + u.tokens_input_image + u.tokens_cache_read
                + u.tokens_cache_write + u.tokens_cache_write_1h),
              sum(u.tokens_output + u.tokens_output_reasoning + u.tokens_output_audio + u.tokens_output_image),
              sum(u.cost_pico)
            FROM inserted u LEFT JOIN billing.account a ON a.id = u.account_id
            WHERE true GROUP BY 1, 2, 3, 4, 5),
        kept AS (
          INSERT INTO billing.usage_hour AS h
            (account_id, hour, key_id, model, outcome, requests, tokens_in, tokens_out, cost_pico)
          SELECT * FROM hours
          ON CONFLICT (account_id, hour, key_id, model, outcome) DO UPDATE SET
            requests = h.requests + excluded.requests, tokens_in = h.tokens_in + excluded.tokens_in,
            tokens_out = h.tokens_out + excluded.tokens_out, cost_pico = h.cost_pico + excluded.cost_pico
        )
        INSERT INTO billing.account_hour AS h
          (account_id, hour, model, outcome, requests, tokens_in, tokens_out, cost_pico)
        SELECT account_id, hour, model, outcome, sum(requests), sum(tokens_in), sum(tokens_out), sum(cost_pico)
        FROM hours GROUP BY 1, 2, 3, 4
        ON CONFLICT (account_id, hour, model, outcome) DO UPDATE SET
          requests = h.requests + excluded.requests, tokens_in = h.tokens_in + excluded.tokens_in,
          tokens_out = h.tokens_out + excluded.tokens_out, cost_pico = h.cost_pico + excluded.cost_pico;
        RETURN NULL;
      END $$;
      CREATE TRIGGER hours_are_summed AFTER INSERT ON billing.usage
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION billing.add_usage_hours();

      --
      -- Months of an account's books: closed ones with their frozen totals, and the open one
      --

      -- The first instant of a month on the clocks of a time zone: where midnight comes twice the earlier one, where
      -- it does not come at all the end of the gap. Every zone's offset is a multiple of 15 minutes.
      CREATE FUNCTION billing.local_month_start(month date, zone text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
        SELECT min(t) FROM generate_series(
          (month::timestamp AT TIME ZONE zone) - interval '3 hours', month::timestamp AT TIME ZONE zone,
          interval '15 minutes') AS t
        WHERE t AT TIME ZONE zone >= month::timestamp
      $$;

      -- No account's books begin earlier: what was booked before, by a clock that was wrong, is the first month's.
      CREATE FUNCTION billing.first_month(created_at timestamptz, zone text) RETURNS date LANGUAGE sql STABLE AS $$
        SELECT (date_trunc('month', created_at AT TIME ZONE zone) - interval '24 months')::date
      $$;

      -- A row is the promise that nothing is booked in that span of the account any more.
      CREATE TABLE billing.period (
        account_id uuid NOT NULL REFERENCES billing.account,
        month date NOT NULL CHECK (month = date_trunc('month', month)),
        time_zone text NOT NULL,
        starts_at timestamptz NOT NULL,
        ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
        closed_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
        closed_by text NOT NULL,
        reason text NOT NULL,
        PRIMARY KEY (account_id, month)
      );

      -- What was in it, worked out once and chained to the period before.
      CREATE TABLE billing.period_seal (
        account_id uuid NOT NULL,
        month date NOT NULL,
        totals jsonb NOT NULL,
        digest text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
        -- Null for an account's first period.
        previous_hash text CHECK (previous_hash ~ '^[0-9a-f]{64}$'),
        hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
        PRIMARY KEY (account_id, month),
        FOREIGN KEY (account_id, month) REFERENCES billing.period
      );

      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON billing.period
        FOR EACH ROW EXECUTE FUNCTION billing.refuse_change();
      CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON billing.period
        FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON billing.period_seal
        FOR EACH ROW EXECUTE FUNCTION billing.refuse_change();
      CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON billing.period_seal
        FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();

      -- The first month of each account that is not closed. A change of time zone moves its end, never its beginning.
      CREATE VIEW billing.open_period AS
        SELECT a.id AS account_id, m.month, a.time_zone,
          coalesce(closed.ends_at, least(booked.first, billing.local_month_start(m.month, a.time_zone))) AS starts_at,
          billing.local_month_start((m.month + interval '1 month')::date, a.time_zone) AS ends_at
        FROM billing.account a
        LEFT JOIN LATERAL (
          SELECT p.month, p.ends_at FROM billing.period p WHERE p.account_id = a.id ORDER BY p.month DESC LIMIT 1
        ) closed ON true
        CROSS JOIN LATERAL (
          SELECT min(t.booked_at) AS first FROM billing.ledger_transaction t WHERE t.account_id = a.id
        ) booked
        CROSS JOIN LATERAL (
          SELECT coalesce((closed.month + interval '1 month')::date, greatest(
            date_trunc('month', least(a.created_at, booked.first) AT TIME ZONE a.time_zone)::date,
            billing.first_month(a.created_at, a.time_zone))) AS month
        ) m;

      -- The month of an account's books that a moment belongs to: that of its closed period, or of the clock. What the end of
      -- the last closed one leaves behind is the next month's; where midnight comes twice the earlier one begins the month,
      -- as in local_month_start.
      CREATE FUNCTION billing.booked_month(account uuid, at timestamptz) RETURNS date LANGUAGE sql STABLE AS $$
        SELECT CASE
          WHEN closed.month IS NULL THEN greatest(local.month, known.first)
          WHEN at >= closed.ends_at THEN greatest(local.month, (closed.month + interval '1 month')::date)
          ELSE (SELECT p.month FROM billing.period p WHERE p.account_id = account AND p.ends_at > at
                ORDER BY p.month LIMIT 1)
        END
        FROM (SELECT 1) AS one
        LEFT JOIN (
          SELECT p.month, p.ends_at FROM billing.period p WHERE p.account_id = account ORDER BY p.month DESC LIMIT 1
        ) AS closed ON true
        LEFT JOIN (
          SELECT a.time_zone AS zone, billing.first_month(a.created_at, a.time_zone) AS first
          FROM billing.account a WHERE a.id = account
        ) AS known ON true
        CROSS JOIN LATERAL (SELECT at AT TIME ZONE coalesce(known.zone, 'UTC') AS time) AS clock
        CROSS JOIN LATERAL (SELECT date_trunc('month', clock.time) + interval '1 month' AS next) AS coming
        CROSS JOIN LATERAL (
          SELECT CASE WHEN coming.next - clock.time <= interval '4 hours'
              AND billing.local_month_start(coming.next::date, coalesce(known.zone, 'UTC')) <= at
            THEN coming.next::date ELSE (coming.next - interval '1 month')::date END AS month
        ) AS local
      $$;

      --
      -- Sums of what is booked in a month: the statement of a month that is open reads these and not its requests
      --

      CREATE TABLE billing.usage_month (
        account_id uuid NOT NULL,
        month date NOT NULL CHECK (month = date_trunc('month', month)),
        key_id uuid NOT NULL,
        model text NOT NULL,
        requests bigint NOT NULL,
        tokens_input numeric(38, 0) NOT NULL,
        tokens_input_audio numeric(38, 0) NOT NULL,
        tokens_input_image numeric(38, 0) NOT NULL,
        tokens_cache_read numeric(38, 0) NOT NULL,
        tokens_cache_write numeric(38, 0) NOT NULL,
        tokens_cache_write_1h numeric(38, 0) NOT NULL,
        tokens_output numeric(38, 0) NOT NULL,
        tokens_output_reasoning numeric(38, 0) NOT NULL,
        tokens_output_audio numeric(38, 0) NOT NULL,
        tokens_output_image numeric(38, 0) NOT NULL,
        cost_pico numeric(38, 0) NOT NULL,
        PRIMARY KEY (account_id, month, key_id, model)
        -- Every batch adds to the same few rows: their new versions find room beside them.
      ) WITH (fillfactor = 50);
      CREATE INDEX usage_month_of_key ON billing.usage_month (key_id);

      CREATE TABLE billing.ledger_month (
        account_id uuid NOT NULL,
        month date NOT NULL CHECK (month = date_trunc('month', month)),
        kind text NOT NULL,
        transactions bigint NOT NULL,
        -- What they did to the customer's balance.
        amount_pico numeric(38, 0) NOT NULL,
        PRIMARY KEY (account_id, month, kind)
      ) WITH (fillfactor = 50);

      -- Once a statement: a batch of requests touches few rows of these. They are triggers, and not the service's work,
      -- so that the release before, which may still be running, keeps them too. Every month of every time zone begins on
      -- a quarter of an hour: months are worked out for each of these, and not for each row.
      CREATE FUNCTION billing.add_usage_months() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO billing.usage_month AS m (account_id, month, key_id, model, requests,
          tokens_input, tokens_input_audio, tokens_input_image,
          tokens_cache_read, tokens_cache_write, tokens_cache_write_1h,
          tokens_output, tokens_output_reasoning, tokens_output_audio, tokens_output_image, cost_pico)
        SELECT q.account_id, billing.booked_month(q.account_id, q.quarter) AS month, q.key_id, q.model,
          sum(q.requests) AS requests,
          sum(q.tokens_input) AS tokens_input,
          sum(q.tokens_input_audio) AS tokens_input_audio,
          sum(q.tokens_input_image) AS tokens_input_image,
          sum(q.tokens_cache_read) AS tokens_cache_read,
          sum(q.tokens_cache_write) AS tokens_cache_write,
          sum(q.tokens_cache_write_1h) AS tokens_cache_write_1h,
          sum(q.tokens_output) AS tokens_output,
          sum(q.tokens_output_reasoning) AS tokens_output_reasoning,
          sum(q.tokens_output_audio) AS tokens_output_audio,
          sum(q.tokens_output_image) AS tokens_output_image,
          sum(q.cost_pico) AS cost_pico
        FROM (SELECT account_id, date_bin('15 minutes', booked_at, timestamptz '2000-01-01T00:00:00Z') AS quarter,
            key_id, model, count(*) AS requests,
            sum(tokens_input) AS tokens_input,
            sum(tokens_input_audio) AS tokens_input_audio,
            sum(tokens_input_image) AS tokens_input_image,
            sum(tokens_cache_read) AS tokens_cache_read,
            sum(tokens_cache_write) AS tokens_cache_write,
            sum(tokens_cache_write_1h) AS tokens_cache_write_1h,
            sum(tokens_output) AS tokens_output,
            sum(tokens_output_reasoning) AS tokens_output_reasoning,
            sum(tokens_output_audio) AS tokens_output_audio,
            sum(tokens_output_image) AS tokens_output_image,
            sum(cost_pico) AS cost_pico
          FROM inserted AS u GROUP BY 1, 2, 3, 4) q
        GROUP BY 1, 2, 3, 4
        ON CONFLICT (account_id, month, key_id, model) DO UPDATE SET
          requests = m.requests + excluded.requests,
          tokens_input = m.tokens_input + excluded.tokens_input,
          tokens_input_audio = m.tokens_input_audio + excluded.tokens_input_audio,
          tokens_input_image = m.tokens_input_image + excluded.tokens_input_image,
          tokens_cache_read = m.tokens_cache_read + excluded.tokens_cache_read,
          tokens_cache_write = m.tokens_cache_write + excluded.tokens_cache_write,
          tokens_cache_write_1h = m.tokens_cache_write_1h + excluded.tokens_cache_write_1h,
          tokens_output = m.tokens_output + excluded.tokens_output,
          tokens_output_reasoning = m.tokens_output_reasoning + excluded.tokens_output_reasoning,
          tokens_output_audio = m.tokens_output_audio + excluded.tokens_output_audio,
          tokens_output_image = m.tokens_output_image + excluded.tokens_output_image,
          cost_pico = m.cost_pico + excluded.cost_pico;
        RETURN NULL;
      END $$;
      CREATE TRIGGER months_are_summed AFTER INSERT ON billing.usage
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION billing.add_usage_months();

      CREATE FUNCTION billing.add_transaction_months() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO billing.ledger_month AS m (account_id, month, kind, transactions, amount_pico)
        SELECT q.account_id, billing.booked_month(q.account_id, q.quarter) AS month, q.kind,
          sum(q.transactions) AS transactions, sum(q.amount_pico) AS amount_pico
        FROM (SELECT account_id, date_bin('15 minutes', booked_at, timestamptz '2000-01-01T00:00:00Z') AS quarter, kind,
            count(*) AS transactions, 0 AS amount_pico
          FROM inserted GROUP BY 1, 2, 3) q
        GROUP BY 1, 2, 3
        ON CONFLICT (account_id, month, kind) DO UPDATE SET
          transactions = m.transactions + excluded.transactions, amount_pico = m.amount_pico + excluded.amount_pico;
        RETURN NULL;
      END $$;
      CREATE TRIGGER months_are_summed AFTER INSERT ON billing.ledger_transaction
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION billing.add_transaction_months();

      -- The limit makes it a look into an index for each entry, whatever the planner believes of the tables.
      CREATE FUNCTION billing.add_entry_months() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
      BEGIN
        INSERT INTO billing.ledger_month AS m (account_id, month, kind, transactions, amount_pico)
        SELECT q.account_id, billing.booked_month(q.account_id, q.quarter) AS month, q.kind,
          sum(q.transactions) AS transactions, sum(q.amount_pico) AS amount_pico
        FROM (SELECT t.account_id, date_bin('15 minutes', t.booked_at, timestamptz '2000-01-01T00:00:00Z') AS quarter,
            t.kind, 0 AS transactions, sum(e.amount_pico) AS amount_pico
          FROM inserted e
          CROSS JOIN LATERAL (SELECT * FROM billing.ledger_transaction t WHERE t.number = e.number LIMIT 1) t
          WHERE e.ledger_account = 'customer:' || t.account_id GROUP BY 1, 2, 3) q
        GROUP BY 1, 2, 3
        ON CONFLICT (account_id, month, kind) DO UPDATE SET
          transactions = m.transactions + excluded.transactions, amount_pico = m.amount_pico + excluded.amount_pico;
        RETURN NULL;
      END $$;
      CREATE TRIGGER months_are_summed AFTER INSERT ON billing.ledger_entry
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION billing.add_entry_months();

      --
      -- Finance: exports, their schedules, and the checks of upstreams' invoices
      --

      -- Exports that are asked for again and again.
      CREATE TABLE billing.export_schedule (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('usage', 'ledger', 'focus')),
        format text NOT NULL CHECK (format IN ('csv', 'parquet', 'jsonl')),
        account_id uuid REFERENCES billing.account,
        every text NOT NULL CHECK (every IN ('day', 'month')),
        -- On which day of the month that follows; of no meaning for days.
        day int NOT NULL CHECK (day BETWEEN 1 AND 28),
        hour int NOT NULL CHECK (hour BETWEEN 0 AND 23),
        time_zone text NOT NULL,
        after_close boolean NOT NULL,
        status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused')),
        -- The first day of what is exported next: it moves in the transaction that asks for the export.
        next_date date NOT NULL,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CHECK (every = 'month' OR NOT after_close),
        CHECK (every = 'day' OR next_date = date_trunc('month', next_date))
      );

      -- What was asked for, and how far it is written.
      CREATE TABLE billing.export_job (
        id uuid PRIMARY KEY,
        kind text NOT NULL CHECK (kind IN ('usage', 'ledger', 'focus')),
        format text NOT NULL CHECK (format IN ('csv', 'parquet', 'jsonl')),
        -- Who reads it: those who keep the books, or a customer, who is not shown what upstreams charge.
        audience text NOT NULL CHECK (audience IN ('books', 'customer')),
        booked_from timestamptz NOT NULL,
        booked_to timestamptz NOT NULL,
        account_id uuid,
        model text,
        key_id uuid,
        -- Nothing behind this number of the journal is in it, whatever is posted meanwhile.
        watermark bigint NOT NULL,
        part_rows int NOT NULL CHECK (part_rows > 0),
        provider_name text NOT NULL,
        requested_by text NOT NULL,
        status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'done', 'failed', 'cancelled')),
        rows_total bigint,
        rows_done bigint NOT NULL DEFAULT 0,
        bytes bigint NOT NULL DEFAULT 0,
        attempts int NOT NULL DEFAULT 0,
        error text,
        manifest text,
        created_at timestamptz NOT NULL DEFAULT now(),
        not_before timestamptz NOT NULL DEFAULT now(),
        -- Whoever writes it says so again and again; when that ends, another one goes on with it.
        claimed_by uuid,
        claimed_at timestamptz,
        claimed_rows bigint NOT NULL DEFAULT 0,
        heartbeat_at timestamptz,
        finished_at timestamptz,
        schedule_id uuid REFERENCES billing.export_schedule ON DELETE SET NULL,
        -- The files go after a time; what they were stays.
        files_removed_at timestamptz,
        CHECK (booked_from < booked_to),
        CHECK (audience = 'books' OR account_id IS NOT NULL)
      );
      CREATE INDEX export_job_open ON billing.export_job (created_at) WHERE status IN ('queued', 'running');
      CREATE INDEX export_job_newest ON billing.export_job (created_at DESC, id DESC);
      CREATE UNIQUE INDEX export_job_of_schedule ON billing.export_job (schedule_id, booked_from);

      CREATE TABLE billing.export_part (
        job_id uuid NOT NULL REFERENCES billing.export_job ON DELETE CASCADE,
        part int NOT NULL CHECK (part > 0),
        name text NOT NULL,
        rows bigint NOT NULL,
        bytes bigint NOT NULL,
        sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
        -- The key of its last row: the next part begins behind it.
        last_key bigint NOT NULL,
        sums jsonb NOT NULL,
        PRIMARY KEY (job_id, part)
      );

      -- Names and time zones as they were when the export was asked for: they may change, its bytes may not.
      CREATE TABLE billing.export_account (
        job_id uuid NOT NULL REFERENCES billing.export_job ON DELETE CASCADE,
        account_id uuid NOT NULL,
        name text NOT NULL,
        time_zone text NOT NULL,
        PRIMARY KEY (job_id, account_id)
      );

      -- An upstream's invoice beside what we counted. It is never changed.
      CREATE TABLE billing.reconciliation (
        id uuid PRIMARY KEY,
        created_at timestamptz NOT NULL DEFAULT now(),
        actor text NOT NULL,
        upstream text NOT NULL,
        time_zone text NOT NULL,
        first_day date NOT NULL,
        last_day date NOT NULL,
        file_sha256 text NOT NULL CHECK (file_sha256 ~ '^[0-9a-f]{64}$'),
        file_bytes bigint NOT NULL,
        -- The last ledger transaction that our side counts.
        as_of_number bigint NOT NULL,
        parameters jsonb NOT NULL,
        summary jsonb NOT NULL,
        rows jsonb NOT NULL
      );
      CREATE INDEX reconciliation_newest ON billing.reconciliation (created_at DESC, id DESC);
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON billing.reconciliation
        FOR EACH ROW EXECUTE FUNCTION billing.refuse_change();
      CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON billing.reconciliation
        FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();
    `);
  }

  async down(): Promise<void> {
    throw new Error('The baseline cannot be undone: restore a backup, or drop the database.');
  }
}
