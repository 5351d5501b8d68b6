package io.dedup.testservers.rocketmq.program;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.rocketmq.common.ControllerConfig;
import org.apache.rocketmq.common.namesrv.NamesrvConfig;
import org.apache.rocketmq.controller.ControllerManager;
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
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RemotingSerializable;
import org.apache.rocketmq.remoting.protocol.body.BrokerReplicasInfo;

/**
 * What stays up: name server, controller and proxy. Answers {@code /proxy}, which starts the proxy and is to be asked when
 * there is a master, and {@code /replicas}: the port of the master (0 for none) and how many replicas are in sync.
 */
final class PairHub {
    static final String BROKER = "broker-a";
    private static final int THREADS = 20;
    private static final long SCAN_MILLIS = 500;

    private final PairSettings settings;
    private final NamesrvController nameServer;
    private final ControllerManager controller;

    PairHub(PairSettings settings) throws Exception {
        this.settings = settings;
        Files.createDirectories(conf());
        this.nameServer = nameServer();
        this.controller = controller();
    }

    private Path conf() {
        return settings.home().resolve("conf");
    }

    private NamesrvController nameServer() throws Exception {
        NamesrvConfig config = new NamesrvConfig();
        config.setRocketmqHome(settings.home().toString());
        config.setKvConfigPath(settings.home().resolve("namesrv/kv.json").toString());
        config.setConfigStorePath(
                settings.home().resolve("namesrv/namesrv.properties").toString());
        config.setScanNotActiveBrokerInterval(SCAN_MILLIS);
        NettyServerConfig network = new NettyServerConfig();
        network.setListenPort(settings.port("nameServer"));
        network.setBindAddress(PairSettings.HOST);
        NamesrvController started = new NamesrvController(config, network, new NettyClientConfig());
        if (!started.initialize()) {
            throw new IllegalStateException("the name server cannot be initialized");
        }
        started.start();
        return started;
    }

    /** A single one: it cannot itself fail over, which isn't the subject. */
    private ControllerManager controller() {
        ControllerConfig config = new ControllerConfig();
        config.setRocketmqHome(settings.home().toString());
        config.setConfigStorePath(
                settings.home().resolve("controller/controller.properties").toString());
        config.setControllerStorePath(settings.home().resolve("controller").toString());
        config.setControllerDLegerGroup("controllers");
        config.setControllerDLegerSelfId("n0");
        config.setControllerDLegerPeers("n0-" + settings.controllerAddress());
        config.setMappedFileSize(16 * 1024 * 1024);
        config.setScanNotActiveBrokerInterval(SCAN_MILLIS);
        NettyServerConfig network = new NettyServerConfig();
        network.setBindAddress(PairSettings.HOST);
        network.setListenPort(settings.port("controller"));
        ControllerManager started = new ControllerManager(config, network, new NettyClientConfig());
        if (!started.initialize()) {
            throw new IllegalStateException("the controller cannot be initialized");
        }
        started.start();
        return started;
    }

    void start() throws IOException {
        HttpServer http =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port("control")), 0);
        http.createContext("/", this::answer);
        http.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        int status = 200;
        String answer;
        try {
            if (exchange.getRequestURI().getPath().equals("/proxy")) {
                startProxy();
                answer = "serves";
            } else {
                answer = replicas();
            }
        } catch (Exception e) {
            status = 500;
            answer = e.toString();
        }
        byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private String replicas() throws Exception {
        RemotingCommand answer =
                controller.getController().getSyncStateData(List.of(BROKER)).get(10, TimeUnit.SECONDS);
        BrokerReplicasInfo.ReplicasInfo replicas = RemotingSerializable.decode(
                        answer.getBody(), BrokerReplicasInfo.class)
                .getReplicasInfoTable()
                .get(BROKER);
        if (replicas == null) {
            return "0 0 -";
        }
        String master = replicas.getMasterAddress();
        var topics = nameServer.getRouteInfoManager().pickupTopicRouteData(PairSettings.CLUSTER);
        return (master == null || master.isEmpty() ? "0" : master.substring(master.lastIndexOf(':') + 1)) + " "
                + replicas.getInSyncReplicas().size() + " "
                + (topics == null
                        ? "-"
                        : topics.getBrokerDatas().stream()
                                .map(data ->
                                        String.valueOf(data.getBrokerAddrs().get(0L)))
                                .map(address -> address.substring(address.lastIndexOf(':') + 1))
                                .findFirst()
                                .orElse("-"));
    }

    private void startProxy() throws Exception {
        configureProxy();
        DefaultMessagingProcessor processor = DefaultMessagingProcessor.createForClusterMode();
        ThreadPoolExecutor threads = (ThreadPoolExecutor) Executors.newFixedThreadPool(THREADS);
        TlsCertificateManager certificates = new TlsCertificateManager();
        GrpcMessagingApplication application = GrpcMessagingApplication.create(processor);
        GrpcServer grpc = GrpcServerBuilder.newBuilder(threads, settings.port("proxy"), certificates)
                .addService(application)
                .configInterceptor()
                .shutdownTime(1, TimeUnit.SECONDS)
                .build();
        certificates.start();
        processor.start();
        application.start();
        grpc.start();
    }

    private void configureProxy() throws Exception {
        Map<String, String> all = new HashMap<>(Map.of(
                "rocketMQClusterName", quoted(PairSettings.CLUSTER),
                "proxyMode", quoted("CLUSTER"),
                "namesrvAddr", quoted(settings.nameServerAddress()),
                "grpcServerPort", Integer.toString(settings.port("proxy")),
                "localServeAddr", quoted(PairSettings.HOST),
                "useEndpointPortFromRequest", "true",
                "enablePrintJstack", "false",
                "grpcShutdownTimeSeconds", "1"));
        all.putAll(Map.of( // consumers that close in less than 21 s, a new master that is found in 2 s
                "grpcClientConsumerMinLongPollingTimeoutMillis", "200",
                "grpcClientConsumerMaxLongPollingTimeoutMillis", "1000",
                "topicRouteServiceCacheRefreshSeconds", "2"));
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
}
