package import HoistJSON

/// The wire form of impact metrics (protocol B.3, C.10).
extension ImpactMetrics {
  /// - Parameter labels: laid under the labels of each sample.
  package static func write(_ metrics: [Metric], labels common: Labels, to writer: inout JSONWriter) {
    writer.array { writer in
      for metric in metrics {
        writer.object { writer in
          writer.key("name")
          writer.string(metric.name)
          writer.key("help")
          writer.string(metric.help)
          writer.key("type")
          writer.string(metric.kind.wireName)
          writer.key("samples")
          writer.array { metric.writeSamples(common, &$0) }
        }
      }
    }
  }

  static func ordered<Value>(_ samples: [Labels: Value]) -> [(Labels, Value)] {
    samples.map { ($0.key, $0.value) }.sorted { Self.text($0.0) < Self.text($1.0) }
  }

  private static func text(_ labels: Labels) -> String {
    labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
  }

  static func write(_ labels: Labels, to writer: inout JSONWriter) {
    writer.object { writer in
      for (name, value) in labels.sorted(by: { $0.key < $1.key }) {
        writer.key(name)
        writer.string(value)
      }
    }
  }
}

extension ImpactMetrics.Kind {
  fileprivate var wireName: String {
    switch self {
    case .counter: "counter"
    case .gauge: "gauge"
    case .histogram: "histogram"
    }
  }
}

extension ImpactMetrics.Metric {
  /// Without news, counters and histograms yield one zero sample with empty labels, gauges none.
  fileprivate func writeSamples(_ common: ImpactMetrics.Labels, _ writer: inout JSONWriter) {
    func sample(_ labels: ImpactMetrics.Labels, _ body: (inout JSONWriter) -> Void) {
      writer.object { writer in
        writer.key("labels")
        ImpactMetrics.write(common.merging(labels) { _, own in own }, to: &writer)
        body(&writer)
      }
    }
    switch kind {
    case .counter:
      for (labels, value) in ImpactMetrics.ordered(counters.isEmpty ? [[:]: 0] : counters) {
        sample(labels) { writer in
          writer.key("value")
          writer.int(value)
        }
      }
    case .gauge:
      for (labels, value) in ImpactMetrics.ordered(gauges) {
        sample(labels) { writer in
          writer.key("value")
          writer.double(value)
        }
      }
    case .histogram(let bounds):
      let empty = ImpactMetrics.Histogram(counts: [UInt64](repeating: 0, count: bounds.count + 1))
      for (labels, value) in ImpactMetrics.ordered(histograms.isEmpty ? [[:]: empty] : histograms) {
        sample(labels) { Self.write(value, bounds, to: &$0) }
      }
    }
  }

  private static func write(_ histogram: ImpactMetrics.Histogram, _ bounds: [Double], to writer: inout JSONWriter) {
    writer.key("count")
    writer.int(histogram.count)
    writer.key("sum")
    writer.double(histogram.sum)
    writer.key("buckets")
    writer.array { writer in
      for (index, count) in histogram.counts.enumerated() {
        writer.object { writer in
          writer.key("le")
          if index < bounds.count { writer.double(bounds[index]) } else { writer.string("+Inf") }
          writer.key("count")
          writer.int(count)
        }
      }
    }
  }
}
