package io.dedup.ledger.applications.run;

import io.dedup.ledger.applications.plan.Text;
import io.dedup.ledger.plan.Traffic;
import io.dedup.testkit.faults.TcpProxy;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/** A queue of Artemis, which moves a message to the dead letters after 10 deliveries. */
final class JmsQueue implements Entrance {
    private static final String DEAD = "dead";

    private final EmbeddedActiveMQ artemis = new EmbeddedActiveMQ();
    private final TcpProxy proxy;
    private final ActiveMQConnectionFactory factory;
    private final JMSContext context;

    JmsQueue() throws Exception {
        int port = freePort();
        ConfigurationImpl configuration = new ConfigurationImpl();
        configuration.setPersistenceEnabled(false);
        configuration.setSecurityEnabled(false);
        configuration.addAcceptorConfiguration("tcp", "tcp://127.0.0.1:" + port);
        configuration.addAddressSetting("orders", new AddressSettings().setDeadLetterAddress(SimpleString.of(DEAD)));
        configuration.addQueueConfiguration(QueueConfiguration.of(DEAD).setRoutingType(RoutingType.ANYCAST));
        configuration.addQueueConfiguration(QueueConfiguration.of("orders").setRoutingType(RoutingType.ANYCAST));
        artemis.setConfiguration(configuration);
        artemis.start();
        proxy = TcpProxy.to(port);
        factory = new ActiveMQConnectionFactory("tcp://127.0.0.1:" + port);
        context = factory.createContext();
    }

    static int freePort() throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    @Override
    public List<String> properties(int process) {
        return List.of(
                "spring.artemis.mode=native",
                "spring.artemis.broker-url=tcp://127.0.0.1:" + proxy.port(),
                "spring.jms.listener.min-concurrency=3");
    }

    @Override
    public synchronized void send(Traffic.Send send) {
        context.createProducer()
                .setProperty("orderId", send.message().id())
                .send(context.createQueue("orders"), Text.of(send.message()));
    }

    /** Those that are being delivered included. */
    @Override
    public boolean isIdle() {
        return artemis.getActiveMQServer()
                        .locateQueue(SimpleString.of("orders"))
                        .getMessageCount()
                == 0;
    }

    @Override
    public Set<String> waiting() throws Exception {
        return ids("orders");
    }

    @Override
    public Set<String> deadLetters() throws Exception {
        return ids(DEAD);
    }

    private synchronized Set<String> ids(String queue) throws Exception {
        Set<String> ids = new HashSet<>();
        try (var browser = context.createBrowser(context.createQueue(queue))) {
            for (Enumeration<?> messages = browser.getEnumeration(); messages.hasMoreElements(); ) {
                ids.add(((Message) messages.nextElement()).getStringProperty("orderId"));
            }
        }
        return ids;
    }

    @Override
    public List<TcpProxy> proxies() {
        return List.of(proxy);
    }

    @Override
    public void close() throws Exception {
        context.close();
        factory.close();
        proxy.close();
        artemis.stop();
    }
}
