package io.dedup.kafka.internal.container;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureMetadata;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.utils.AppInfoParser;

/** Whether Kafka keeps delayed requests of a transaction that has ended out of the producer's next one (KIP-890). */
final class TransactionVersion {
    private static final String FEATURE = "transaction.version";
    private static final int NEEDED = 2;
    private static final int NEEDED_CLIENT = 4;

    private TransactionVersion() {}

    /**
     * Asks the broker in the background, because a start doesn't wait for what can only warn.
     *
     * @param client the settings of an admin client
     * @param name of the container
     * @return a warning, empty if there is none
     */
    static KafkaFuture<String> warning(Map<String, Object> client, String name) {
        Admin admin = Admin.create(client);
        KafkaFuture<String> warning = admin.describeFeatures()
                .featureMetadata()
                .thenApply(features -> warning(levelOf(features), AppInfoParser.getVersion(), name));
        return warning.whenComplete((ignored, failure) -> admin.close(Duration.ZERO));
    }

    private static int levelOf(FeatureMetadata features) {
        FinalizedVersionRange level = features.finalizedFeatures().get(FEATURE);
        return level == null ? 0 : level.maxVersionLevel();
    }

    static String warning(int level, String client, String name) {
        String major = client.split("\\.", 2)[0];
        boolean isOldClient = major.matches("\\d+") && Integer.parseInt(major) < NEEDED_CLIENT;
        if (level >= NEEDED && !isOldClient) {
            return "";
        }
        return name
                + ": a delayed request of a Kafka transaction that has ended may join the producer's next one, so that"
                + " outputs may be lost or committed twice (KIP-890). The brokers have " + FEATURE + " " + level
                + ", and kafka-clients is " + client + ". Use brokers with " + FEATURE + "=" + NEEDED
                + " (Kafka 4.0, kafka-features.sh upgrade --feature " + FEATURE + "=" + NEEDED
                + ") and kafka-clients 4.0"
                + " or later";
    }
}
