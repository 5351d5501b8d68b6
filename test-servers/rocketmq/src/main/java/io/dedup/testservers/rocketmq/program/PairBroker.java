package io.dedup.testservers.rocketmq.program;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.BrokerStartup;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.remoting.protocol.subscription.SubscriptionGroupConfig;

/** A broker that is a master or a slave as the controller says. */
final class PairBroker {
    private static final int QUEUES = 4;
    private static final int MAX_RETRIES = 1_000;

    private final PairSettings settings;
    private final BrokerController broker;

    PairBroker(PairSettings settings) throws Exception {
        this.settings = settings;
        Path conf = Files.createDirectories(settings.home().resolve("conf"));
        Path file = conf.resolve("broker.conf");
        Properties properties = new Properties();
        properties.putAll(brokerSettings());
        try (var out = Files.newBufferedWriter(file)) {
            properties.store(out, null);
        }
        this.broker = BrokerStartup.createBrokerController(
                new String[] {"-c", file.toString(), "-n", settings.nameServerAddress()});
    }

    private Map<String, String> brokerSettings() {
        Path store = settings.home().resolve("store");
        Map<String, String> all = new HashMap<>();
        all.put("brokerName", PairHub.BROKER);
        all.put("brokerClusterName", PairSettings.CLUSTER);
        all.put("brokerIP1", PairSettings.HOST);
        all.put("brokerIP2", PairSettings.HOST);
        all.put("bindAddress", PairSettings.HOST);
        all.put("listenPort", Integer.toString(settings.port("broker")));
        all.put("haListenPort", Integer.toString(settings.port("replication")));
        all.put("namesrvAddr", settings.nameServerAddress());
        all.put("enableControllerMode", "true");
        all.put("controllerAddr", settings.controllerAddress());
        all.put("timerFlushIntervalMs", "60000"); // see Server
        all.put("storePathRootDir", store.toString());
        all.put("storePathCommitLog", store.resolve("commitlog").toString());
        all.put("storePathEpochFile", store.resolve("epochFileCheckpoint").toString());
        all.put("storePathBrokerIdentity", store.resolve("brokerIdentity").toString());
        all.putAll(Map.of( // small files, and a disk that others have filled is no reason to refuse messages
                "mappedFileSizeCommitLog", "67108864",
                "mappedFileSizeConsumeQueue", "600000",
                "mappedFileSizeTimerLog", "16777216",
                "maxIndexNum", "200000",
                "maxHashSlotNum", "50000",
                "diskMaxUsedSpaceRatio", "99",
                "waitTimeMillsInSendQueue", "10000"));
        all.putAll(Map.of( // a death that is noticed in 3 s
                "controllerHeartBeatTimeoutMills", "3000",
                "brokerHeartbeatInterval", "500",
                "syncBrokerMetadataPeriod", "1000",
                "checkSyncStateSetPeriod", "1000"));
        all.putAll(settings.startingWith("broker."));
        return all;
    }

    /** Topics and groups are there from the start: who becomes master has them. */
    void start() throws Exception {
        for (String name : settings.topics()) {
            TopicConfig topic = new TopicConfig(name, QUEUES, QUEUES);
            topic.setAttributes(new HashMap<>(Map.of("+message.type", "NORMAL")));
            broker.getTopicConfigManager().updateTopicConfig(topic);
        }
        for (String name : settings.groups()) {
            SubscriptionGroupConfig group = new SubscriptionGroupConfig();
            group.setGroupName(name);
            group.setRetryMaxTimes(MAX_RETRIES);
            broker.getSubscriptionGroupManager().updateSubscriptionGroupConfig(group);
        }
        broker.start();
    }
}
