<?php
/**
 * Uninstalling leaves content: pages made from code, SEO fields, structured data and redirects belong to the site's
 * owner, and installing the plugin again finds them as they were. The keys of connected gateways and the receipts of
 * what they did go.
 *
 * @package SiteOps
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

$site_ops_remove = static function () {
	global $wpdb;
	foreach ( array( 'site_ops_gateways', 'site_ops_pairing_code', 'site_ops_holds_version', 'site_ops_hold_test' ) as $option ) {
		delete_option( $option );
	}
	// phpcs:ignore WordPress.DB -- a table of the plugin's own.
	$wpdb->query( "DROP TABLE IF EXISTS `{$wpdb->prefix}site_ops_holds`" );
};

if ( ! is_multisite() ) {
	$site_ops_remove();
	return;
}
$site_ops_sites = get_sites(
	array(
		'fields' => 'ids',
		'number' => 0,
	)
);
foreach ( $site_ops_sites as $site_ops_site ) {
	switch_to_blog( $site_ops_site );
	$site_ops_remove();
	restore_current_blog();
}
