package io.dedup.spring.boot.internal.check;

import io.dedup.policy.DedupMode;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.internal.deduplicator.Served;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.spring.boot.internal.text.SettingText;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports where records are kept if that isn't the store of {@code dedup.store}. Mode transactional keeps them in a table of the
 * handlers' database, because a record in Redis couldn't be rolled back with the effect.
 */
final class RecordLocationCheck {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private final DedupProperties properties;
    private final TopicPlans plans;
    private final KnownTopics known;
    private final DedupStores stores;

    RecordLocationCheck(DedupProperties properties, TopicPlans plans, KnownTopics known, DedupStores stores) {
        this.properties = properties;
        this.plans = plans;
        this.known = known;
        this.stores = stores;
    }

    /**
     * Looks at what is deduplicated.
     *
     * @throws DedupConfigurationException when nothing would ever use the store that is configured
     */
    void check(List<? extends Served> served) {
        DedupProperties.StoreType type = properties.getStore();
        if ((type != DedupProperties.StoreType.REDIS && type != DedupProperties.StoreType.MEMORY) || !stores.isOwn()) {
            return;
        }
        Set<String> inTable = new TreeSet<>();
        boolean storeIsUsed = known.expectsMoreTopics()
                || plans.topics().named().keySet().stream()
                        .anyMatch(topic -> isElsewhere(plans.plan(topic, List.of())));
        for (Served each : served) {
            each.plans().forEach((topic, plan) -> {
                if (!isElsewhere(plan)) {
                    inTable.add(topic);
                }
            });
            storeIsUsed |= each.plans().values().stream().anyMatch(RecordLocationCheck::isElsewhere);
        }
        String store = SettingText.of(type);
        if (!storeIsUsed) {
            throw new DedupConfigurationException(
                    "dedup.store is " + store + ", but nothing would be kept there: topics " + inTable
                            + " have mode transactional, which keeps its records in a table of the database.",
                    "Set dedup.store: jdbc to keep the records in that table only; dedup.store: tiered with mode: tiered to let"
                            + " Redis answer duplicates in front of the table; or mode: leased to keep the records in "
                            + store + ".");
        }
        if (!inTable.isEmpty()) {
            log.info(
                    "dedup.store is {}, but the records of {} are kept in table {}: mode transactional commits a record together"
                            + " with its effect",
                    store,
                    inTable,
                    properties.getJdbc().getTable());
        }
    }

    private static boolean isElsewhere(@Nullable TopicPlan plan) {
        return plan != null && plan.policy().mode() != DedupMode.TRANSACTIONAL;
    }
}
