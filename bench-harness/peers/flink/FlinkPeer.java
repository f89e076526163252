import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.cep.nfa.NFA;
import org.apache.flink.cep.nfa.NFAState;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.nfa.compiler.NFACompiler;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBuffer;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferAccessor;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.cep.time.TimerService;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Flink CEP's NFA on one workload of {@code bench-harness compare nfab}, driven directly: no
 * pipeline, no serialisation, no network; all state lives in maps on the heap.
 *
 * <p>Arguments: WORKLOAD FILE. The file is read and parsed first; then a line {"events": N} says that
 * the peer is ready. Each line on standard input asks for one round, which runs the whole stream
 * through a fresh NFA and prints one JSON line. The end of the input ends the program. In between the
 * program sleeps, so that rounds of different engines can take turns on one machine.
 *
 * <p>The patterns are those of {@code bench-harness/src/peer/workload.rs}, in the same order.
 */
public final class FlinkPeer {
    /** An event; fields are public because Flink's serialiser for plain objects wants it so. */
    public static final class Tick {
        public char type;
        public long time;
        public int key;
        public int price;
        public int volume;
        /** The place in the stream, by which matches are told apart. */
        public long number;

        /** For Flink's serialiser. */
        public Tick() {}
    }

    /** What a round found. */
    static final class Found {
        long matches;
        long timeouts;
        /** Depends on each match's events and their order, not on the order of the matches. */
        long digest;

        void add(Map<String, List<Tick>> match) {
            long hash = 0;
            for (List<Tick> events : match.values()) {
                for (Tick event : events) {
                    hash = (hash + event.number + 1) * 0x9E3779B97F4A7C15L;
                }
            }
            digest += hash ^ (hash >>> 29);
        }
    }

    /** The state of one key: what keyBy would keep apart. */
    private static final class Key {
        final NFAState state;
        final List<Map<Object, Object>> maps = new ArrayList<>();

        Key(NFAState state, int count) {
            this.state = state;
            for (int i = 0; i < count; i++) {
                maps.add(new HashMap<>());
            }
        }
    }

    /** A map state that is, like those of Flink's own backends, a view of the current key's map. */
    private static final class HeapMapState<K, V> implements MapState<K, V> {
        Map<K, V> map = new HashMap<>();

        @Override
        public V get(K key) {
            return map.get(key);
        }

        @Override
        public void put(K key, V value) {
            map.put(key, value);
        }

        @Override
        public void putAll(Map<K, V> all) {
            map.putAll(all);
        }

        @Override
        public void remove(K key) {
            map.remove(key);
        }

        @Override
        public boolean contains(K key) {
            return map.containsKey(key);
        }

        @Override
        public Iterable<Map.Entry<K, V>> entries() {
            return map.entrySet();
        }

        @Override
        public Iterable<K> keys() {
            return map.keySet();
        }

        @Override
        public Iterable<V> values() {
            return map.values();
        }

        @Override
        public Iterator<Map.Entry<K, V>> iterator() {
            return map.entrySet().iterator();
        }

        @Override
        public boolean isEmpty() {
            return map.isEmpty();
        }

        @Override
        public void clear() {
            map.clear();
        }
    }

    /** The shared buffer asks for map states only. */
    private static final class HeapStore implements KeyedStateStore {
        final List<HeapMapState<Object, Object>> states = new ArrayList<>();

        /** Lets all states show the maps of this key. */
        void select(Key key) {
            for (int i = 0; i < states.size(); i++) {
                states.get(i).map = key.maps.get(i);
            }
        }

        @Override
        @SuppressWarnings("unchecked")
        public <K, V> MapState<K, V> getMapState(MapStateDescriptor<K, V> descriptor) {
            HeapMapState<Object, Object> state = new HeapMapState<>();
            states.add(state);
            return (MapState<K, V>) state;
        }

        private static UnsupportedOperationException other() {
            return new UnsupportedOperationException("the shared buffer keeps map states only");
        }

        @Override
        public <T> ValueState<T> getState(ValueStateDescriptor<T> descriptor) {
            throw other();
        }

        @Override
        public <T> ListState<T> getListState(ListStateDescriptor<T> descriptor) {
            throw other();
        }

        @Override
        public <T> ReducingState<T> getReducingState(ReducingStateDescriptor<T> descriptor) {
            throw other();
        }

        @Override
        public <I, A, O> AggregatingState<I, O> getAggregatingState(
                AggregatingStateDescriptor<I, A, O> descriptor) {
            throw other();
        }

        @Override
        public <T> org.apache.flink.api.common.state.v2.ValueState<T> getValueState(
                org.apache.flink.api.common.state.v2.ValueStateDescriptor<T> descriptor) {
            throw other();
        }

        @Override
        public <T> org.apache.flink.api.common.state.v2.ListState<T> getListState(
                org.apache.flink.api.common.state.v2.ListStateDescriptor<T> descriptor) {
            throw other();
        }

        @Override
        public <K, V> org.apache.flink.api.common.state.v2.MapState<K, V> getMapState(
                org.apache.flink.api.common.state.v2.MapStateDescriptor<K, V> descriptor) {
            throw other();
        }

        @Override
        public <T> org.apache.flink.api.common.state.v2.ReducingState<T> getReducingState(
                org.apache.flink.api.common.state.v2.ReducingStateDescriptor<T> descriptor) {
            throw other();
        }

        @Override
        public <I, A, O> org.apache.flink.api.common.state.v2.AggregatingState<I, O>
                getAggregatingState(
                        org.apache.flink.api.common.state.v2.AggregatingStateDescriptor<I, A, O>
                                descriptor) {
            throw other();
        }

        @Override
        public String getBackendTypeIdentifier() {
            return "heap";
        }
    }

    private interface Test extends java.io.Serializable {
        boolean holds(Tick tick);
    }

    private static SimpleCondition<Tick> where(Test test) {
        return SimpleCondition.of(test::holds);
    }

    /** The first event satisfies {@code start}; each further one has a price above the last one's. */
    private static final class Rising extends IterativeCondition<Tick> {
        private static final long serialVersionUID = 1L;

        private final Test each;
        private final Test start;

        Rising(Test each, Test start) {
            this.each = each;
            this.start = start;
        }

        @Override
        public boolean filter(Tick tick, Context<Tick> context) throws Exception {
            // The cheap test goes first: Flink reads a run's earlier events only when asked for them.
            if (!each.holds(tick)) {
                return false;
            }
            Tick last = null;
            for (Tick taken : context.getEventsForPattern("a")) {
                last = taken;
            }
            return last == null ? start.holds(tick) : tick.price > last.price;
        }
    }

    private static final Duration WINDOW = Duration.ofMillis(50);

    static Pattern<Tick, ?> pattern(String workload) {
        switch (workload) {
            case "strict":
                return Pattern.<Tick>begin("a")
                        .where(where(tick -> tick.type == 'a' && tick.volume > 500))
                        .next("b")
                        .where(where(tick -> tick.type == 'b' && tick.volume > 500))
                        .next("c")
                        .where(where(tick -> tick.type == 'c' && tick.volume > 500));
            case "relaxed":
                return Pattern.<Tick>begin("a")
                        .where(where(tick -> tick.type == 'a' && tick.volume <= 300))
                        .followedBy("b")
                        .where(where(tick -> tick.type == 'b' && tick.volume <= 300))
                        .followedBy("c")
                        .where(where(tick -> tick.type == 'c' && tick.volume <= 300))
                        .within(WINDOW);
            case "any-sequence":
                return Pattern.<Tick>begin("a")
                        .where(where(tick -> tick.type == 'a' && tick.volume <= 300))
                        .followedByAny("b")
                        .where(where(tick -> tick.type == 'b' && tick.volume <= 300))
                        .followedByAny("c")
                        .where(where(tick -> tick.type == 'c' && tick.volume <= 300))
                        .within(WINDOW);
            case "rising":
            case "keyed":
                return Pattern.<Tick>begin("a")
                        .where(new Rising(tick -> tick.type == 'a', tick -> tick.volume <= 100))
                        .oneOrMore()
                        .followedBy("b")
                        .where(where(tick -> tick.type == 'b' && tick.volume <= 150))
                        .within(WINDOW);
            case "any-loop":
                return Pattern.<Tick>begin("a")
                        .where(new Rising(
                                tick -> tick.type == 'a' && tick.volume <= 300, tick -> true))
                        .oneOrMore()
                        .allowCombinations()
                        .followedByAny("b")
                        .where(where(tick -> tick.type == 'b' && tick.volume <= 300))
                        .within(WINDOW);
            case "timeouts":
                return Pattern.<Tick>begin("a")
                        .where(where(tick -> tick.type == 'a'))
                        .followedBy("b")
                        .where(where(tick -> tick.type == 'b' && tick.volume <= 10))
                        .within(WINDOW);
            default:
                throw new IllegalArgumentException("no workload is called " + workload);
        }
    }

    /** Lets the logging library find, without a word on standard error, that nobody wants its logs. */
    static void quiet() {
        PrintStream err = System.err;
        System.setErr(new PrintStream(OutputStream.nullOutputStream()));
        LoggerFactory.getILoggerFactory();
        MDC.clear();
        System.setErr(err);
    }

    static List<Tick> read(Path file) throws IOException {
        List<Tick> ticks = new ArrayList<>();
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            lines.readLine();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] fields = line.split(",");
                Tick tick = new Tick();
                tick.type = fields[0].charAt(0);
                tick.time = Long.parseLong(fields[1]);
                tick.key = Integer.parseInt(fields[2]);
                tick.price = Integer.parseInt(fields[3]);
                tick.volume = Integer.parseInt(fields[4]);
                tick.number = ticks.size();
                ticks.add(tick);
            }
        }
        return ticks;
    }

    // The compiler warns of interruptions while closing; nobody interrupts this thread.
    @SuppressWarnings("try")
    private static Found round(
            NFACompiler.NFAFactory<Tick> factory, List<Tick> ticks, boolean keyed) throws Exception {
        NFA<Tick> nfa = factory.createNFA();
        HeapStore store = new HeapStore();
        SharedBuffer<Tick> buffer = new SharedBuffer<>(
                store, TypeInformation.of(Tick.class).createSerializer(new SerializerConfigImpl()));
        AfterMatchSkipStrategy skip = AfterMatchSkipStrategy.noSkip();
        TimerService clock = System::currentTimeMillis;
        Map<Integer, Key> keys = new HashMap<>();
        Found found = new Found();
        Key current = new Key(nfa.createInitialNFAState(), store.states.size());
        store.select(current);
        for (Tick tick : ticks) {
            if (keyed) {
                current = keys.computeIfAbsent(
                        tick.key, k -> new Key(nfa.createInitialNFAState(), store.states.size()));
                store.select(current);
            }
            // What Flink's operator does with an event whose time has come. Closing the accessor
            // writes the buffer's cache back to the state.
            try (SharedBufferAccessor<Tick> accessor = buffer.getAccessor()) {
                Tuple2<Collection<Map<String, List<Tick>>>,
                        Collection<Tuple2<Map<String, List<Tick>>, Long>>> passed =
                        nfa.advanceTime(accessor, current.state, tick.time, skip);
                found.timeouts += passed.f1.size();
                Collection<Map<String, List<Tick>>> matches =
                        nfa.process(accessor, current.state, tick, tick.time, skip, clock);
                found.matches += matches.size();
                for (Map<String, List<Tick>> match : matches) {
                    found.add(match);
                }
            }
        }
        buffer.releaseCacheStatisticsTimer();
        return found;
    }

    /** See the class. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2) {
            System.err.println("usage: FlinkPeer WORKLOAD FILE");
            System.exit(2);
        }
        quiet();
        String workload = arguments[0];
        List<Tick> ticks = read(Path.of(arguments[1]));
        NFACompiler.NFAFactory<Tick> factory =
                NFACompiler.compileFactory(pattern(workload), workload.equals("timeouts"));
        System.out.println("{\"events\":" + ticks.size() + "}");
        var threads = ManagementFactory.getThreadMXBean();
        BufferedReader requests = new BufferedReader(
                new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (int round = 0; requests.readLine() != null; round++) {
            // The garbage of the round before is not this round's.
            System.gc();
            long cpu = threads.getCurrentThreadCpuTime();
            long start = System.nanoTime();
            Found found = round(factory, ticks, workload.equals("keyed"));
            long wall = System.nanoTime() - start;
            cpu = threads.getCurrentThreadCpuTime() - cpu;
            System.out.printf(
                    "{\"workload\":\"%s\",\"round\":%d,\"ns\":%d,\"cpu_ns\":%d,\"events\":%d,"
                            + "\"matches\":%d,\"timeouts\":%d,\"digest\":\"%016x\"}%n",
                    workload, round, wall, cpu, ticks.size(),
                    found.matches, found.timeouts, found.digest);
        }
        System.exit(0);
    }

    private FlinkPeer() {}
}
