package io.dedup.spring.boot.internal.check;

import io.dedup.spring.boot.internal.deduplicator.Served;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.spring.boot.internal.text.SettingText;
import io.dedup.store.DedupStore;
import io.dedup.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is deduplicated, and how, for the log. */
public final class StartTable {
    private static final List<String> HEAD =
            List.of("listener", "consumer", "topic", "message ID", "window", "mode", "store");

    private final List<List<String>> rows = new ArrayList<>();
    private final DedupStores stores;

    public StartTable(List<? extends Served> served, DedupStores stores) {
        this.stores = stores;
        rows.add(HEAD);
        for (Served each : served) {
            each.plans().forEach((topic, plan) -> rows.add(row(each, topic, plan)));
        }
    }

    private List<String> row(Served each, String topic, TopicPlan plan) {
        return Stream.of(
                        each.name(),
                        each.consumer(),
                        topic,
                        plan.id().toString(),
                        SettingText.of(plan.policy().window()),
                        SettingText.of(plan.policy().mode()) + (plan.policy().shadow() ? " (shadow)" : ""),
                        storeOf(plan))
                .map(Printable::sentence) // names come from property files
                .toList();
    }

    private String storeOf(TopicPlan plan) {
        String claims = nameOf(stores.storeOrNull());
        String table = nameOf(stores.tableOrNull());
        return switch (plan.policy().mode()) {
            case LEASED, LEASED_TRANSACTIONAL -> claims;
            case TRANSACTIONAL -> table.isEmpty() ? claims : table;
            case TIERED -> claims + " + " + table;
        };
    }

    private static String nameOf(@Nullable DedupStore store) {
        return store == null ? "" : store.name();
    }

    public String text() {
        int[] widths = new int[HEAD.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder("Deduplicated listeners:");
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder("\n  ");
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
            }
            text.append(line.toString().stripTrailing());
        }
        return text.toString();
    }
}
