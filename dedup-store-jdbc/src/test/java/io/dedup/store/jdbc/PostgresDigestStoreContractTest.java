package io.dedup.store.jdbc;

import io.dedup.store.jdbc.support.JdbcFixture;
import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * On a table with digests in place of message IDs. Runs on demand, because {@link DigestTableTest} tests what differs in a tenth of
 * the time: {@code mvn test -pl dedup-store-jdbc -Dtest='*DigestStoreContractTest' -Ddedup.digest-contract=true}.
 */
@EnabledIfSystemProperty(named = "dedup.digest-contract", matches = "true")
class PostgresDigestStoreContractTest extends DedupStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new JdbcFixture(JdbcDialect.POSTGRESQL, JdbcKeyFormat.DIGEST);
    }
}
