// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/opencl/report.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace gpusim {

static void write_requests(std::ostream &out, const Requests &r) {
    out << "{\"requests\":" << r.requests << ",\"lanes\":" << r.lanes << ",\"bytes\":" << r.bytes << ",\"sectors\":" << r.sectors
        << ",\"lines\":" << r.lines << ",\"ideal_sectors\":" << r.ideal_sectors << ",\"wavefronts\":" << r.wavefronts << "}";
}

static void write_sites(std::ostream &out, const Kernel &kernel, const std::vector<Requests> &sites) {
    out << "{";
    const char *comma = "";
    for (size_t i = 0; i < sites.size(); i++)
        if (sites[i].requests) {
            out << comma << "\"" << kernel.sites[i] << "\":";
            write_requests(out, sites[i]);
            comma = ",";
        }
    out << "}";
}

bool wants_report() {
    const char *path = getenv("GPUSIM_OUT");
    return path && *path;
}

void report(const Kernel &kernel, const Machine &m, const Counts &c, const Grid &grid) {
    std::ostringstream out;
    out << "{\"kernel\":\"" << kernel.name << "\",\"warp\":" << m.warp << ",\"global\":" << grid.group_count() * grid.group_size()
        << ",\"local\":" << grid.group_size() << ",\"groups\":" << c.groups << ",\"warps\":" << c.warps
        << ",\"waves\":" << c.waves << ",\"groups_per_sm\":" << c.groups_per_sm << ",\"live_registers\":" << c.live
        << ",\"private_bytes\":" << kernel.local_bytes << ",\"shared_bytes\":" << grid.shared_bytes
        << ",\"ptx_instructions\":" << kernel.code.size() << ",\"lane_instructions\":" << c.lane_instructions
        << ",\"warp_instructions\":" << c.warp_instructions << ",\"issue_slots\":" << c.issue_slots
        << ",\"alu\":" << c.lanes_of[(int)Class::Alu] << ",\"mul\":" << c.lanes_of[(int)Class::Mul]
        << ",\"mul_hi\":" << c.wide_multiplies << ",\"div\":" << c.lanes_of[(int)Class::Div]
        << ",\"memory\":" << c.lanes_of[(int)Class::Memory] << ",\"control\":" << c.lanes_of[(int)Class::Control]
        << ",\"simt\":" << c.simt << ",\"branches\":" << c.branches << ",\"divergent\":" << c.divergent
        << ",\"stalls\":" << c.stalls << ",\"stalls_l1\":" << c.stalls_at[FROM_L1] << ",\"stalls_l2\":" << c.stalls_at[FROM_L2]
        << ",\"stalls_dram\":" << c.stalls_at[FROM_DRAM] << ",\"stall_bytes\":" << c.stall_bytes
        << ",\"private_requests\":" << c.local_requests << ",\"private_moved\":" << c.local_bytes
        << ",\"shared_requests\":" << c.shared_requests << ",\"shared_wavefronts\":" << c.shared_wavefronts << ",\"load\":";
    write_requests(out, c.load);
    out << ",\"store\":";
    write_requests(out, c.store);
    out << ",\"l1_hits\":" << c.traffic.l1_hits << ",\"l1_misses\":" << c.traffic.l1_misses
        << ",\"l2_reads\":" << c.traffic.l2_reads << ",\"l2_writes\":" << c.traffic.l2_writes
        << ",\"l2_hits\":" << c.traffic.l2_hits << ",\"dram_reads\":" << c.traffic.dram_reads
        << ",\"dram_writes\":" << c.traffic.dram_writes << ",\"partial_writes\":" << c.traffic.partial_writes
        << ",\"load_sites\":";
    write_sites(out, kernel, c.site_load);
    out << ",\"store_sites\":";
    write_sites(out, kernel, c.site_store);
    out << "}\n";
    std::ofstream(getenv("GPUSIM_OUT"), std::ios::app) << out.str();
}

} // namespace gpusim
