package io.dedup.kafka;

/** Which line of spring-kafka the tests run on; see the profile spring-kafka-3.3 in pom.xml. */
public final class SpringKafkaLine {
    static final boolean OLDER = "3.3".equals(System.getProperty("dedup.test.spring-kafka"));

    /** For tests that use what only spring-kafka 4 has, be it in the test itself. */
    public static final String TAG_4 = "spring-kafka-4";

    private SpringKafkaLine() {}
}
