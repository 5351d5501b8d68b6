package io.dedup.store.jdbc;

import io.dedup.store.jdbc.support.JdbcFixture;
import io.dedup.testkit.fixture.StoreFixture;
import io.dedup.testkit.internal.contract.StepContract;
import org.junit.jupiter.api.Nested;

/** The contract's steps on tables with digests in place of message IDs. The other groups run on demand. */
class DigestStepsTest {
    @Nested
    class Postgres extends StepContract {
        @Override
        protected StoreFixture newFixture() {
            return new JdbcFixture(JdbcDialect.POSTGRESQL, JdbcKeyFormat.DIGEST);
        }
    }

    @Nested
    class MariaDb extends StepContract {
        @Override
        protected StoreFixture newFixture() {
            return new JdbcFixture(JdbcDialect.MARIADB, JdbcKeyFormat.DIGEST);
        }
    }

    @Nested
    class MySql extends StepContract {
        @Override
        protected StoreFixture newFixture() {
            return new JdbcFixture(JdbcDialect.MYSQL, JdbcKeyFormat.DIGEST);
        }
    }
}
