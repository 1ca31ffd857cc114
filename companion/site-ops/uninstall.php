<?php
/**
 * Uninstalling leaves content, unless the site's owner chose otherwise under Tools, Site Ops: CSS and scripts of pages
 * made from code, SEO fields, structured data and redirects that the plugin keeps itself are found as they were once it is
 * installed again. The keys of connected gateways and the receipts of what they did go in any case.
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
	if ( '1' === get_option( 'site_ops_remove_content' ) ) {
		$site_ops_redirects = get_posts(
			array(
				'post_type'   => 'site_ops_redirect',
				'post_status' => 'any',
				'numberposts' => -1,
				'fields'      => 'ids',
			)
		);
		foreach ( $site_ops_redirects as $site_ops_redirect ) {
			wp_delete_post( $site_ops_redirect, true );
		}
		// phpcs:ignore WordPress.DB -- every key with the plugin's own prefix.
		$wpdb->query( $wpdb->prepare( "DELETE FROM `{$wpdb->postmeta}` WHERE meta_key LIKE %s", $wpdb->esc_like( '_site_ops_' ) . '%' ) );
		wp_cache_flush();
	}
	delete_option( 'site_ops_remove_content' );
};

delete_site_transient( 'site_ops_update_refused' );
delete_site_transient( 'site_ops_update_unanswered' );
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
