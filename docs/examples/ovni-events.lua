-- Decodes events of your own, which the tables of ovni do not know. Put this file into Wireshark's personal plugin
-- folder, or
--   T=captures/ovni/v3-flush-jumbo/loom.host.0/proc.18341/thread.18341
--   tools/run tshark -X lua_script:docs/examples/ovni-events.lua -r $T/stream.json -Y probe

-- The code of the event is what you register for. The payload is in the byte order of the traced machine; of a jumbo
-- event it begins after its size.
local probe = Proto("probe", "Probe of my application")
local probe_size = ProtoField.uint32("probe.size", "Size")
local probe_last = ProtoField.uint8("probe.last", "Last byte", base.HEX)
probe.fields = { probe_size, probe_last }

function probe.dissector(payload, pinfo, tree)
    local item = tree:add(probe, payload())
    item:add(probe_size, payload:len()):set_generated()
    if payload:len() > 0 then
        item:add(probe_last, payload(payload:len() - 1, 1))
    end
    pinfo.cols.info = "Probe of " .. payload:len() .. " bytes"
end

DissectorTable.get("ovni.mcv"):add("Ozz", probe)
