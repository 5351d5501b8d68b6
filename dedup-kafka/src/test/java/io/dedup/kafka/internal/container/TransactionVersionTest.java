package io.dedup.kafka.internal.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TransactionVersionTest {
    @Test
    @DisplayName("K26 a broker with an older transaction.version is warned of")
    void older() throws Exception {
        try (KafkaServer server = KafkaServers.start()) {
            Map<String, Object> client = Map.of("bootstrap.servers", server.bootstrapServers());
            try (Admin admin = Admin.create(client)) {
                admin.updateFeatures(
                                Map.of("transaction.version", new FeatureUpdate((short) 1, UpgradeType.SAFE_DOWNGRADE)),
                                new UpdateFeaturesOptions())
                        .all()
                        .get();
            }
            assertThat(TransactionVersion.warning(client, "orders").get(30, TimeUnit.SECONDS))
                    .startsWith("orders: ")
                    .contains("transaction.version 1");
        }
    }

    @Test
    void client() {
        assertThat(TransactionVersion.warning(2, "4.2.1", "orders")).isEmpty();
        assertThat(TransactionVersion.warning(2, "unknown", "orders")).isEmpty();
        assertThat(TransactionVersion.warning(2, "3.9.2", "orders")).contains("kafka-clients is 3.9.2");
    }
}
