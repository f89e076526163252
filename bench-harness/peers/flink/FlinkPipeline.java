import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import com.sun.management.OperatingSystemMXBean;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.functions.TimedOutPartialMatchHandler;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/**
 * Flink CEP on one workload of {@code bench-harness compare nfab} as a job: a source, timestamps and
 * watermarks, the CEP operator in event time, keyed where the workload is, in a cluster inside this
 * process with one slot. Arguments and protocol are those of {@link FlinkPeer}, whose events and
 * patterns it uses.
 *
 * <p>Each round is a job of its own on a fresh cluster. Starting and stopping it are not in the time,
 * which is from the opening of the source's map to the closing of the operator behind the patterns.
 * CPU time is that of the whole process meanwhile, since a job has several threads.
 */
public final class FlinkPipeline {
    private static List<FlinkPeer.Tick> ticks;
    private static long last;
    private static FlinkPeer.Found found;
    private static long start;
    private static long end;
    private static long cpuStart;
    private static long cpuEnd;

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** The events by their numbers; they are in memory already, as they are for the other engines. */
    private static final class Events extends RichMapFunction<Long, FlinkPeer.Tick> {
        private static final long serialVersionUID = 1L;

        @Override
        public void open(OpenContext context) {
            cpuStart = SYSTEM.getProcessCpuTime();
            start = System.nanoTime();
        }

        @Override
        public FlinkPeer.Tick map(Long number) {
            return ticks.get(number.intValue());
        }
    }

    /** Reads every event of every match. */
    private static class Matches extends PatternProcessFunction<FlinkPeer.Tick, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processMatch(
                Map<String, List<FlinkPeer.Tick>> match, Context context, Collector<Long> out) {
            found.matches++;
            found.add(match);
        }

        @Override
        public void close() {
            end = System.nanoTime();
            cpuEnd = SYSTEM.getProcessCpuTime();
        }
    }

    /** Counts the partial matches whose windows pass, too; Flink makes them for nobody else. */
    private static final class MatchesAndTimeouts extends Matches
            implements TimedOutPartialMatchHandler<FlinkPeer.Tick> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processTimedOutMatch(
                Map<String, List<FlinkPeer.Tick>> match, Context context) {
            // The end of the input lets all windows pass; the other engines conclude nothing from it.
            if (context.timestamp() <= last) {
                found.timeouts++;
            }
        }
    }

    private static void round(String workload) throws Exception {
        StreamExecutionEnvironment job = StreamExecutionEnvironment.createLocalEnvironment(1);
        // As fast as it goes: events are not copied between chained operators.
        job.getConfig().enableObjectReuse();
        WatermarkStrategy<FlinkPeer.Tick> watermarks =
                WatermarkStrategy.<FlinkPeer.Tick>forMonotonousTimestamps()
                        .withTimestampAssigner((tick, before) -> tick.time);
        DataStream<FlinkPeer.Tick> events =
                job.fromSource(
                                new NumberSequenceSource(0, ticks.size() - 1),
                                WatermarkStrategy.noWatermarks(),
                                "numbers")
                        .map(new Events())
                        .returns(TypeInformation.of(FlinkPeer.Tick.class))
                        .assignTimestampsAndWatermarks(watermarks);
        if (workload.equals("keyed")) {
            events = events.keyBy(tick -> tick.key);
        }
        PatternProcessFunction<FlinkPeer.Tick, Long> matches =
                workload.equals("timeouts") ? new MatchesAndTimeouts() : new Matches();
        CEP.pattern(events, FlinkPeer.pattern(workload))
                .process(matches, TypeInformation.of(Long.class))
                .sinkTo(new DiscardingSink<>());
        job.execute(workload);
    }

    /** See the class. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2) {
            System.err.println("usage: FlinkPipeline WORKLOAD FILE");
            System.exit(2);
        }
        FlinkPeer.quiet();
        String workload = arguments[0];
        ticks = FlinkPeer.read(Path.of(arguments[1]));
        last = ticks.isEmpty() ? Long.MIN_VALUE : ticks.get(ticks.size() - 1).time;
        System.out.println("{\"events\":" + ticks.size() + "}");
        BufferedReader requests = new BufferedReader(
                new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (int round = 0; requests.readLine() != null; round++) {
            found = new FlinkPeer.Found();
            System.gc();
            round(workload);
            System.out.printf(
                    "{\"workload\":\"%s\",\"round\":%d,\"ns\":%d,\"cpu_ns\":%d,\"events\":%d,"
                            + "\"matches\":%d,\"timeouts\":%d,\"digest\":\"%016x\"}%n",
                    workload, round, end - start, cpuEnd - cpuStart, ticks.size(),
                    found.matches, found.timeouts, found.digest);
        }
        System.exit(0);
    }

    private FlinkPipeline() {}
}
