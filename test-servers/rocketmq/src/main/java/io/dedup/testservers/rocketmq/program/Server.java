package io.dedup.testservers.rocketmq.program;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.BrokerStartup;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.namesrv.NamesrvConfig;
import org.apache.rocketmq.namesrv.NamesrvController;
import org.apache.rocketmq.proxy.config.Configuration;
import org.apache.rocketmq.proxy.config.ConfigurationManager;
import org.apache.rocketmq.proxy.grpc.GrpcServer;
import org.apache.rocketmq.proxy.grpc.GrpcServerBuilder;
import org.apache.rocketmq.proxy.grpc.v2.GrpcMessagingApplication;
import org.apache.rocketmq.proxy.processor.DefaultMessagingProcessor;
import org.apache.rocketmq.proxy.service.cert.TlsCertificateManager;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.remoting.protocol.subscription.CustomizedRetryPolicy;
import org.apache.rocketmq.remoting.protocol.subscription.GroupRetryPolicy;
import org.apache.rocketmq.remoting.protocol.subscription.GroupRetryPolicyType;
import org.apache.rocketmq.remoting.protocol.subscription.SubscriptionGroupConfig;
import org.apache.rocketmq.store.GetMessageResult;
import org.apache.rocketmq.store.GetMessageStatus;
import org.apache.rocketmq.store.exception.ConsumeQueueException;

/** All of RocketMQ in this process; one per process, since the proxy's configuration is static. */
final class Server {
    private static final String HOST = "127.0.0.1";
    private static final String CLUSTER = "DefaultCluster";
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int THREADS = 20;

    private final ServerSettings settings;
    private final NamesrvController nameServer;
    private final BrokerController broker;

    Server(ServerSettings settings) throws Exception {
        this.settings = settings;
        Files.createDirectories(conf());
        this.nameServer = nameServer();
        configureProxy();
        Path file = conf().resolve("broker.conf");
        Properties properties = new Properties();
        properties.putAll(brokerSettings());
        try (var out = Files.newBufferedWriter(file)) {
            properties.store(out, null);
        }
        this.broker =
                BrokerStartup.createBrokerController(new String[] {"-c", file.toString(), "-n", nameServerAddress()});
    }

    private Path conf() {
        return settings.home().resolve("conf");
    }

    private String nameServerAddress() {
        return HOST + ":" + settings.nameServerPort();
    }

    private NamesrvController nameServer() throws Exception {
        NamesrvConfig config = new NamesrvConfig();
        config.setRocketmqHome(settings.home().toString());
        config.setKvConfigPath(settings.home().resolve("namesrv/kv.json").toString());
        config.setConfigStorePath(
                settings.home().resolve("namesrv/namesrv.properties").toString());
        NettyServerConfig network = new NettyServerConfig();
        network.setListenPort(settings.nameServerPort());
        network.setBindAddress(HOST);
        NamesrvController controller = new NamesrvController(config, network, new NettyClientConfig());
        if (!controller.initialize()) {
            throw new IllegalStateException("the name server cannot be initialized");
        }
        controller.start();
        return controller;
    }

    private Map<String, String> brokerSettings() {
        Path store = settings.home().resolve("store");
        Map<String, String> all = new HashMap<>(Map.of(
                "brokerName",
                "broker-a",
                "brokerIP1",
                HOST,
                "brokerIP2",
                HOST,
                "bindAddress",
                HOST,
                "listenPort",
                Integer.toString(settings.brokerPort()),
                "namesrvAddr",
                nameServerAddress(),
                "flushDiskType",
                "ASYNC_FLUSH",
                "storePathRootDir",
                store.toString(),
                "storePathCommitLog",
                store.resolve("commitlog").toString()));
        all.putAll(Map.of( // small files, and a disk that others have filled is no reason to refuse messages
                "mappedFileSizeCommitLog", "67108864",
                "mappedFileSizeConsumeQueue", "600000",
                "mappedFileSizeTimerLog", "16777216",
                "maxIndexNum", "200000",
                "maxHashSlotNum", "50000",
                "diskMaxUsedSpaceRatio", "99",
                "waitTimeMillsInSendQueue", "10000"));
        all.putAll(Map.of( // for retries in less than a second, and consumers whose death is noticed in 15 s
                "popConsumerKVServiceInit", "true",
                "popConsumerKVServiceEnable", "true",
                "channelExpiredTimeout", "15000",
                "useServerSideResetOffset", "true"));
        all.putAll(Map.of( // an idle broker would take half a core otherwise
                // It compares its wheel of timers with the file, byte by byte.
                "timerFlushIntervalMs", "60000",
                // 5.5.0 looks without a pause for transactions that have ended since the last one ended so long ago. So
                // each end is
                // written at once, and none is looked for.
                "transactionOpBatchInterval", "3600000",
                "transactionOpMsgMaxSize", "1",
                // From its start until the first of these intervals ends, 3 s by default, it asks for the time without
                // a pause.
                "transactionMetricFlushInterval", "200"));
        all.putAll(Map.of( // for lite topics
                "enableLmq", "true",
                "enableMultiDispatch", "true"));
        all.putAll(settings.startingWith("broker."));
        return all;
    }

    private void configureProxy() throws Exception {
        Map<String, String> all = new HashMap<>(Map.of(
                "rocketMQClusterName", quoted(CLUSTER),
                "proxyMode", quoted(settings.clusterMode() ? "CLUSTER" : "LOCAL"),
                "namesrvAddr", quoted(nameServerAddress()),
                "grpcServerPort", Integer.toString(settings.proxyPort()),
                "localServeAddr", quoted(HOST),
                "useEndpointPortFromRequest", "true",
                "enablePrintJstack", "false",
                "grpcShutdownTimeSeconds", "1"));
        all.putAll(Map.of( // consumers that close in less than 21 s, and invisible times of less than 10 s
                "grpcClientConsumerMinLongPollingTimeoutMillis", "200",
                "grpcClientConsumerMaxLongPollingTimeoutMillis", "1000",
                "minInvisibleTimeMillsForRecv", "100"));
        all.putAll(settings.startingWith("proxy."));
        String json = all.entrySet().stream()
                .map(entry -> quoted(entry.getKey()) + ":" + entry.getValue())
                .collect(Collectors.joining(",", "{", "}"));
        Path file = conf().resolve("rmq-proxy.json");
        Files.writeString(file, json);
        System.setProperty(Configuration.CONFIG_PATH_PROPERTY, file.toString());
        ConfigurationManager.initEnv();
        ConfigurationManager.initConfig();
    }

    private static String quoted(String text) {
        return '"' + text + '"';
    }

    void start() throws Exception {
        if (settings.clusterMode()) {
            broker.start(); // whom the proxy looks for by its name server
            register(CLUSTER);
        }
        DefaultMessagingProcessor processor = settings.clusterMode()
                ? DefaultMessagingProcessor.createForClusterMode()
                : DefaultMessagingProcessor.createForLocalMode(broker);
        ThreadPoolExecutor threads = (ThreadPoolExecutor) Executors.newFixedThreadPool(THREADS);
        TlsCertificateManager certificates = new TlsCertificateManager();
        GrpcMessagingApplication application = GrpcMessagingApplication.create(processor);
        GrpcServer grpc = GrpcServerBuilder.newBuilder(threads, settings.proxyPort(), certificates)
                .addService(application)
                .configInterceptor()
                .shutdownTime(1, TimeUnit.SECONDS)
                .build();
        certificates.start();
        if (!settings.clusterMode()) {
            broker.start();
        }
        processor.start();
        application.start();
        grpc.start();
        register(CLUSTER);
    }

    /** In an orderly way, which takes 10 to 20 s. */
    void shutDown() {
        broker.shutdown();
        nameServer.shutdown();
    }

    /** The broker's first registration comes too early, and its next one 10 s later. */
    private void register(String topic) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (nameServer.getRouteInfoManager().pickupTopicRouteData(topic) == null) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("no route to " + topic);
            }
            broker.registerBrokerAll(true, false, true);
            Thread.sleep(20);
        }
    }

    /** @param type NORMAL, FIFO, DELAY, TRANSACTION or LITE */
    void createTopic(String name, String type, int queues) throws InterruptedException {
        TopicConfig topic = new TopicConfig(name, queues, queues);
        topic.setAttributes(new HashMap<>(Map.of("+message.type", type)));
        broker.getTopicConfigManager().updateTopicConfig(topic);
        register(name);
    }

    /** A group that reads the lite topics below one topic. */
    void createLiteGroup(String name, String topic, int maxRetries) {
        SubscriptionGroupConfig group = new SubscriptionGroupConfig();
        group.setGroupName(name);
        group.setRetryMaxTimes(maxRetries);
        group.setAttributes(new HashMap<>(Map.of("+lite.bind.topic", topic)));
        broker.getSubscriptionGroupManager().updateSubscriptionGroupConfig(group);
    }

    /** All messages of the topic are redelivered to the group. */
    void resetOffset(String topic, String group) {
        int queues = broker.getTopicConfigManager().selectTopicConfig(topic).getReadQueueNums();
        for (int queue = 0; queue < queues; queue++) {
            long first = broker.getMessageStore().getMinOffsetInQueue(topic, queue);
            broker.getConsumerOffsetManager().assignResetOffset(topic, group, queue, first);
        }
    }

    /** A property of each of a group's dead letters; of those that have it. */
    List<String> deadLetters(String group, String property) throws ConsumeQueueException {
        String topic = MixAll.getDLQTopic(group);
        TopicConfig config = broker.getTopicConfigManager().selectTopicConfig(topic);
        List<String> found = new ArrayList<>();
        for (int queue = 0; config != null && queue < config.getWriteQueueNums(); queue++) {
            long end = broker.getMessageStore().getMaxOffsetInQueue(topic, queue);
            for (long offset = broker.getMessageStore().getMinOffsetInQueue(topic, queue); offset < end; offset++) {
                GetMessageResult one = broker.getMessageStore().getMessage(group, topic, queue, offset, 1, null);
                if (one != null && one.getStatus() == GetMessageStatus.FOUND) {
                    String value = MessageDecoder.decode(
                                    one.getMessageBufferList().get(0))
                            .getProperty(property);
                    if (value != null) {
                        found.add(value);
                    }
                }
                if (one != null) {
                    one.release();
                }
            }
        }
        return found;
    }

    /** @param delaysMillis between attempts; the broker's own when empty */
    void createGroup(String name, boolean fifo, int maxRetries, long... delaysMillis) {
        SubscriptionGroupConfig group = new SubscriptionGroupConfig();
        group.setGroupName(name);
        group.setConsumeMessageOrderly(fifo);
        group.setRetryMaxTimes(maxRetries);
        if (delaysMillis.length > 0) {
            GroupRetryPolicy policy = new GroupRetryPolicy();
            policy.setType(GroupRetryPolicyType.CUSTOMIZED);
            policy.setCustomizedRetryPolicy(
                    new CustomizedRetryPolicy(Arrays.copyOf(delaysMillis, delaysMillis.length)));
            group.setGroupRetryPolicy(policy);
        }
        broker.getSubscriptionGroupManager().updateSubscriptionGroupConfig(group);
    }
}
